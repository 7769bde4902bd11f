// The history identifies entities and attributes by the numbers that the store gave them, which stay the same when
// others are added, removed or renamed. All numbers are of variable length, 7 bits in each byte; signed ones have their
// sign in the lowest bit. A change of an entity or an attribute that the schema no longer has is skipped on reading.

extension RecordChange {
    private static let format: UInt8 = 1

    /// The bytes for ``HistoryEntry/changes``.
    package static func encode(_ changes: [RecordChange], _ schema: Schema) -> [UInt8] {
        var bytes: [UInt8] = [format]
        bytes.append(number: UInt64(changes.count))
        for change in changes {
            let entity = schema.entities[change.entity]
            bytes.append(number: UInt64(entity.id))
            bytes.append(change.key)
            switch change.kind {
            case .inserted: bytes.append(0)
            case .deleted: bytes.append(1)
            case .updated(let attributes):
                let positions = attributes.positions.filter(entity.attributes.indices.contains)
                bytes.append(2)
                bytes.append(number: UInt64(positions.count))
                for position in positions { bytes.append(number: UInt64(entity.attributes[position].id)) }
            }
        }
        return bytes
    }

    /// - Throws: `corrupt`, `newerFormat`.
    package static func decode(_ bytes: [UInt8], _ schema: Schema) throws -> [RecordChange] {
        var reader = ByteReader(bytes)
        let version = try reader.byte()
        guard version == format else {
            throw GranaryError(
                .newerFormat, "The history was written by a newer version of Granary. Read it with that version.")
        }
        let entities = Dictionary(
            schema.entities.indices.map { (schema.entities[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
        var changes: [RecordChange] = []
        for _ in 0..<(try reader.number()) {
            let position = entities[Int(truncatingIfNeeded: try reader.number())]
            let key = try reader.value()
            let kind: Kind
            switch try reader.byte() {
            case 0: kind = .inserted
            case 1: kind = .deleted
            case 2:
                var attributes = AttributeSet()
                let known = position.map { schema.entities[$0].attributes } ?? []
                for _ in 0..<(try reader.number()) {
                    let id = Int(truncatingIfNeeded: try reader.number())
                    if let place = known.firstIndex(where: { $0.id == id }) { attributes.insert(place) }
                }
                kind = .updated(attributes)
            default: throw ByteReader.damaged
            }
            if let position { changes.append(RecordChange(place: Place(entity: position, key: key), kind: kind)) }
        }
        return changes
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    fileprivate mutating func append(_ value: StoredValue) {
        append(value.kind.rawValue)
        switch value {
        case .null: break
        case .integer(let integer):
            append(number: UInt64(bitPattern: (integer << 1) ^ (integer >> 63)))
        case .real(let real): Swift.withUnsafeBytes(of: real.bitPattern.littleEndian) { append(contentsOf: $0) }
        case .text(let bytes), .bytes(let bytes):
            append(number: UInt64(bytes.count))
            append(contentsOf: bytes)
        }
    }
}

private struct ByteReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    static var damaged: GranaryError { .damagedHistory }

    mutating func byte() throws -> UInt8 {
        guard place < bytes.count else { throw ByteReader.damaged }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func number() throws -> UInt64 {
        var result: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            let byte = try byte()
            result |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return result }
        }
        throw ByteReader.damaged
    }

    mutating func value() throws -> StoredValue {
        guard let kind = Cell.Kind(rawValue: try byte()) else { throw ByteReader.damaged }
        switch kind {
        case .null: return .null
        case .integer:
            let bits = try number()
            return .integer(Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1))
        case .real:
            var bits: UInt64 = 0
            for shift in stride(from: 0, to: 64, by: 8) { bits |= UInt64(try byte()) << UInt64(shift) }
            return .real(Double(bitPattern: bits))
        case .text: return .text(try run())
        case .bytes: return .bytes(try run())
        }
    }

    private mutating func run() throws -> [UInt8] {
        let count = try number()
        guard count <= UInt64(bytes.count - place) else { throw ByteReader.damaged }
        defer { place += Int(count) }
        return Array(bytes[place..<(place + Int(count))])
    }
}
