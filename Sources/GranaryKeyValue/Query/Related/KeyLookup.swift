import GranaryStoreKit
import GranaryPlatform

// Neighbouring rows often refer to the same few records. So records are cached: the hash of a key gives its slot, and a
// new key replaces the one in its slot. A slot holds the cells of its record, whose bytes belong to the engine and stay
// valid until the next write, which ends every cursor.

/// The rows of a table by their keys.
final class KeyLookup: RowLookup {
    private enum State: UInt8 { case free, found, absent }

    private struct Slot {
        var key = Cell.null
        var state = State.free
    }

    private let session: KeyValueSession
    private let table: Table
    private let keyBuffer: UnsafeMutableRawPointer
    private let stride: Int
    /// Made when the first key is requested.
    private var cells: CellBuffer?
    private var slots: ContiguousArray<Slot> = []
    private var mask = 0
    private var count = 0

    init(_ session: KeyValueSession, _ table: Table) {
        self.session = session
        self.table = table
        stride = table.layout.cellCount
        keyBuffer = .allocate(byteCount: KeyFormat.bufferSize, alignment: 8)
    }

    deinit { keyBuffer.deallocate() }

    func cells(of key: Cell) throws -> UnsafePointer<Cell>? {
        guard table.keyField.accepts(key) else { return nil }
        let buffer = cells ?? prepare()
        let number = slot(of: key)
        let place = buffer.base + number * stride
        let slot = slots[number]
        if slot.state != .free && areSame(slot.key, key) { return slot.state == .found ? UnsafePointer(place) : nil }
        count &+= 1
        if count & 63 == 0, let cancellation = session.cancellation { try cancellation.check() }
        slots[number].state = .free
        let isFound = try read(key, into: place)
        slots[number] = Slot(key: key, state: isFound ? .found : .absent)
        return isFound ? UnsafePointer(place) : nil
    }

    private func read(_ key: Cell, into place: UnsafeMutablePointer<Cell>) throws -> Bool {
        let length = try table.encodeKey(key, into: keyBuffer)
        let bytes = UnsafeRawBufferPointer(start: keyBuffer, count: length)
        guard let row = try session.engine.get(bytes, in: table.keyspace) else { return false }
        try table.layout.read(row, key: bytes, into: place)
        return !table.isCut(bytes) || areSame(place[table.keyPosition], key)
    }

    /// At most 64 KiB of cells.
    private func prepare() -> CellBuffer {
        var slotCount = 1024
        while slotCount > 1 && slotCount * stride > 4096 { slotCount /= 2 }
        mask = slotCount - 1
        slots = ContiguousArray(repeating: Slot(), count: slotCount)
        let buffer = CellBuffer(slotCount * stride)
        cells = buffer
        return buffer
    }

    @inline(__always) private func slot(of key: Cell) -> Int {
        let hash =
            key.kind == .integer
            ? UInt64(bitPattern: key.integerValue) &* 0x9E37_79B9_7F4A_7C15 : hash64(key.rawBytes, seed: 0)
        return Int(truncatingIfNeeded: hash >> 32) & mask
    }
}
