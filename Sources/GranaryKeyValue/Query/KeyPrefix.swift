import GranaryCore

/// The beginning of a key that a search compares with, made of one value after the other.
struct KeyPrefix {
    private let table: Table
    private let access: Plan.Access
    private(set) var bytes: [UInt8] = []
    /// Whether a value did not fit, so that the range holds more than what was asked for.
    private(set) var isCut = false

    init(_ table: Table, _ access: Plan.Access) {
        self.table = table
        self.access = access
    }

    private var isKey: Bool { access == .key }
    private var limit: Int { isKey ? KeyFormat.rowKeyPrefix : KeyFormat.indexPrefix }

    mutating func append(_ value: StoredValue, at position: Int) {
        guard !isCut else { return }
        let kind = table.kinds[position]
        let room = limit - bytes.count
        let isTagged = !isKey
        var wasCut = false
        bytes += [UInt8](unsafeUninitializedCapacity: room + 1) { buffer, count in
            guard let base = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
            var encoder = KeyEncoder(base, limit: room)
            value.withCell { cell in
                if isTagged { encoder.putTagged(cell, as: kind) } else { encoder.put(cell, as: kind) }
            }
            count = encoder.count
            wasCut = encoder.isCut
        }
        isCut = wasCut
    }

    /// Everything that begins with the prefix.
    var range: Plan.Range { Plan.Range(lower: bytes, upper: successorOfPrefix(bytes)) }

    /// Everything that begins with the prefix and goes on with a value that is not nil.
    var notNullRange: Plan.Range {
        if isKey || isCut { return range }
        let lower = bytes + [0x01]
        return Plan.Range(lower: lower, upper: successorOfPrefix(lower))
    }

    /// What begins with the cut prefix and the hash of these values, all there are.
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
        return Plan.Range(lower: exact, upper: successorOfPrefix(exact))
    }
}
