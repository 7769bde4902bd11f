/// Cells in sequence as bytes that are equal if the cells are equal: for sets, groups and distinct values.
///
/// A byte for the kind; 8 bytes of a number; 4 bytes of length, and the bytes, of text and bytes.
package final class CellBytes {
    private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 8)
    private var count = 0

    package init() {}

    deinit { buffer.deallocate() }

    /// The bytes appended since ``clear()``. Valid until more are appended.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer.prefix(count)) }

    package func clear() { count = 0 }

    /// - Parameter joinsNumbers: Whether an integer and the real that equals it are one value.
    package func append(_ cell: Cell, joinsNumbers: Bool = false) {
        let bytes = cell.rawBytes
        if count &+ bytes.count &+ 9 > buffer.count { grow(bytes.count + 9) }
        var kind = cell.kind
        var bits: UInt64 = 0
        switch kind {
        case .null, .text, .bytes: break
        case .integer: bits = UInt64(bitPattern: cell.integerValue)
        case .real:
            // The addition turns -0.0 into 0.0, which equals it.
            bits = (cell.realValue + 0.0).bitPattern
            if joinsNumbers, let integer = Int64(exactly: cell.realValue) {
                kind = .integer
                bits = UInt64(bitPattern: integer)
            }
        }
        buffer.storeBytes(of: kind.rawValue, toByteOffset: count, as: UInt8.self)
        count &+= 1
        switch kind {
        case .null: break
        case .integer, .real:
            buffer.storeBytes(of: bits, toByteOffset: count, as: UInt64.self)
            count &+= 8
        case .text, .bytes:
            buffer.storeBytes(of: UInt32(truncatingIfNeeded: bytes.count), toByteOffset: count, as: UInt32.self)
            count &+= 4
            UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
            count &+= bytes.count
        }
    }

    package func append(number: Int) { append(.integer(Int64(number))) }

    private func grow(_ room: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(buffer.count * 2, count + room), alignment: 8)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
        buffer.deallocate()
        buffer = larger
    }

    /// Reads cells back from bytes. The cells point into the bytes.
    package static func read(_ bytes: UnsafeRawBufferPointer, into cells: UnsafeMutablePointer<Cell>, count: Int) {
        var offset = 0
        for position in 0..<count {
            guard offset < bytes.count, let kind = Cell.Kind(rawValue: bytes[offset]) else { return }
            offset &+= 1
            switch kind {
            case .null: cells[position] = .null
            case .integer:
                cells[position] = .integer(bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
                offset &+= 8
            case .real:
                let bits = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                cells[position] = .real(Double(bitPattern: bits))
                offset &+= 8
            case .text, .bytes:
                let length = Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
                offset &+= 4
                let value = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset &+ length)])
                cells[position] = kind == .text ? .text(value) : .bytes(value)
                offset &+= length
            }
        }
    }
}
