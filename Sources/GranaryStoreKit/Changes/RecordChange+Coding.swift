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
