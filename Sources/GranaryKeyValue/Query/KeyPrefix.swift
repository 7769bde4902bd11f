import GranaryStoreKit
import GranaryPlatform

/// The beginning of a key for a search, made from one value after the other.
struct KeyPrefix {
    private let table: Table
    private let access: Plan.Access
    private(set) var bytes: [UInt8] = []
    /// Whether a value did not fit, so that the range contains more entries than requested.
    private(set) var isCut = false

    init(_ table: Table, _ access: Plan.Access) {
        self.table = table
        self.access = access
    }

    private var isKey: Bool { access == .key }
    /// Whether the following values belong to the row's key, which an index has at its end in the same form as the key
    /// itself.
    private var isInRowKey = false
    /// Whether values have a byte before them that marks nil.
    private var isTagged: Bool { !isKey && !isInRowKey }
    private var limit: Int { isKey ? KeyFormat.rowKeyPrefix : KeyFormat.indexPrefix }
    /// Whether a byte of the next value can follow. After a full prefix, an index has the hash of all values instead.
    var hasRoom: Bool { !isCut && bytes.count < limit }

    /// Adds a value, folded if the index folds it.
    mutating func append(_ value: StoredValue, at position: Int) {
        let kind = table.kinds[position]
        let isTagged = isTagged
        encode { encoder in
            value.withCell { cell in
                if isTagged { encoder.putTagged(cell, as: kind) } else { encoder.put(cell, as: kind) }
            }
        }
    }

    /// Adds the beginning of a text.
    mutating func append(beginningOf text: [UInt8]) {
        let isTagged = isTagged
        encode { encoder in
            if isTagged { encoder.put(byte: 0x01) }
            text.withUnsafeBytes { encoder.putEscaped($0, isTerminated: false) }
        }
    }

    /// Continues with the row's key, after all values of an index. Only for keys of fixed size: others are cut at
    /// another place.
    mutating func beginRowKey() { isInRowKey = true }

    private mutating func encode(_ put: (inout KeyEncoder) -> Void) {
        guard !isCut else { return }
        let room = limit - bytes.count
        var wasCut = false
        withUnsafeTemporaryAllocation(byteCount: room + 1, alignment: 8) { buffer in
            guard let base = buffer.baseAddress else { return }
            var encoder = KeyEncoder(base, limit: room)
            put(&encoder)
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<encoder.count]))
            wasCut = encoder.isCut
        }
        isCut = wasCut
    }

    /// All keys that begin with the prefix.
    var range: Plan.Range { Plan.Range(prefix: bytes) }

    /// All keys that begin with the prefix, followed by a value that is not nil. Includes nils if the prefix has no
    /// room.
    var notNullRange: Plan.Range {
        if !isTagged || !hasRoom { return range }
        return Plan.Range(prefix: bytes + [0x01])
    }

    /// All keys that begin with the prefix, followed by nil; nil if that is not one range.
    var nullRange: Plan.Range? {
        if !isTagged || !hasRoom { return nil }
        return Plan.Range(prefix: bytes + [0x00])
    }

    /// All keys that begin with the cut prefix and the hash of these values, which must be complete.
    func exactRange(_ values: [StoredValue]) -> Plan.Range {
        var (first, second) = KeyFormat.hashSeeds
        for value in values {
            value.withCell { cell in
                first = isKey ? hash64(cell.rawBytes, seed: first) : chainedHash(cell, first)
                second = isKey ? hash64(cell.rawBytes, seed: second) : chainedHash(cell, second)
            }
        }
        var exact = bytes
        withUnsafeBytes(of: first.bigEndian) { exact += $0 }
        withUnsafeBytes(of: second.bigEndian) { exact += $0 }
        return Plan.Range(prefix: exact)
    }
}
