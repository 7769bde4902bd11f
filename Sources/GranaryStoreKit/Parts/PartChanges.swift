/// The changes of a commit in one part, as a note of another part keeps them: the rows as they are to be.
///
/// Entities and attributes are named by the numbers that the store of the part gave them, which stay the same when
/// others are added or renamed.
struct PartChanges {
    private struct Change {
        var entity: Int
        var key: StoredValue
        /// The values by the numbers of the attributes; nil if the record is deleted.
        var values: [Int: StoredValue]?
    }

    private static let format: UInt8 = 1
    private var changes: [Change] = []

    /// The changes that a writer has made.
    init(_ changes: [RecordChange], of writer: any StoreReader) throws {
        let schema = writer.schema
        for change in changes {
            let entity = schema.entities[change.entity]
            var values: [Int: StoredValue]?
            if change.kind != .deleted {
                values = try change.key.withCell { key in
                    guard let row = try writer.find(key, in: change.entity) else { return nil }
                    return Dictionary(
                        entity.attributes.indices.map { (entity.attributes[$0].id, StoredValue(row[$0])) },
                        uniquingKeysWith: { first, _ in first })
                }
            }
            self.changes.append(Change(entity: entity.id, key: change.key, values: values))
        }
    }

    // MARK: Bytes

    var bytes: [UInt8] {
        var bytes = [PartChanges.format]
        bytes.append(number: UInt64(changes.count))
        for change in changes {
            bytes.append(number: UInt64(change.entity))
            bytes.append(change.key)
            guard let values = change.values else {
                bytes.append(number: 0)
                continue
            }
            bytes.append(number: UInt64(values.count))
            for (number, value) in values.sorted(by: { $0.key < $1.key }) {
                bytes.append(number: UInt64(number))
                bytes.append(value)
            }
        }
        return bytes
    }

    /// - Throws: `corrupt` if the bytes are not changes, `newerFormat`.
    init(_ bytes: [UInt8]) throws {
        do {
            var reader = ByteReader(bytes)
            let format = try reader.byte()
            guard format == PartChanges.format else {
                throw GranaryError.newerFormat(of: "A commit of several parts", format, newest: PartChanges.format)
            }
            for _ in 0..<(try reader.number()) {
                let entity = Int(truncatingIfNeeded: try reader.number())
                var change = Change(entity: entity, key: try reader.value())
                let count = try reader.number()
                if count > 0 {
                    var values: [Int: StoredValue] = [:]
                    for _ in 0..<count {
                        values[Int(truncatingIfNeeded: try reader.number())] = try reader.value()
                    }
                    change.values = values
                }
                changes.append(change)
            }
        } catch let error as GranaryError where error.code == .corrupt {
            throw GranaryError.damaged("The note of a commit of several parts")
        }
    }

    // MARK: Applying

    /// Makes the changes. They are those of one transaction, so their order does not matter: records may exchange unique
    /// values, and refer to each other.
    ///
    /// - Throws: What writing throws if others have changed the part in the meantime, such as `uniqueness`.
    func apply(to writer: any StoreWriter) throws {
        let schema = writer.schema
        let positions = Dictionary(
            schema.entities.indices.map { (schema.entities[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
        var rows: [(entity: Int, row: StoredRow)] = []
        var deleted: [(entity: Int, key: StoredValue)] = []
        for change in changes {
            guard let position = positions[change.entity] else { continue }
            guard let values = change.values else {
                deleted.append((position, change.key))
                continue
            }
            let row = schema.entities[position].attributes.map { values[$0.id] ?? $0.defaultValue ?? .null }
            rows.append((position, StoredRow(row)))
        }
        try writer.beginSavepoint()
        do {
            try writer.deferReferences()
            try PartChanges.replaceUniqueValues(rows, in: writer)
            var isDone = false
            while !isDone {
                let left = try PartChanges.without(rows, failing: .uniqueness) { entity, row in
                    try row.withRow { _ = try writer.upsert($0, into: entity) }
                }
                let kept = try PartChanges.without(deleted, failing: .deniedDeletion) { entity, key in
                    try key.withCell { _ = try writer.delete($0, from: entity) }
                }
                isDone = left.items.isEmpty && kept.items.isEmpty
                if !isDone, left.items.count == rows.count, kept.items.count == deleted.count {
                    throw left.error ?? kept.error ?? GranaryError.damaged("The note of a commit of several parts")
                }
                (rows, deleted) = (left.items, kept.items)
            }
            try writer.checkReferences()
            try writer.releaseSavepoint()
        } catch {
            try writer.rollbackSavepoint()
            throw error
        }
    }

    /// Gives existing records placeholders for the unique values that they are to lose.
    private static func replaceUniqueValues(
        _ rows: [(entity: Int, row: StoredRow)], in writer: any StoreWriter
    ) throws {
        for (position, new) in rows {
            let entity = writer.schema.entities[position]
            let placeholder = try new.value(at: entity.keyPosition).withCell { key -> StoredRow? in
                guard let old = try writer.find(key, in: position) else { return nil }
                return entity.withPlaceholders(in: StoredRow(old), differingFrom: new)
            }
            try placeholder?.withRow { _ = try writer.update($0, in: position) }
        }
    }

    /// The items for which a statement fails with a code, because another one has to come first.
    private static func without<Item>(
        _ items: [(entity: Int, Item)], failing code: GranaryError.Code, _ statement: (Int, Item) throws -> Void
    ) throws -> (items: [(entity: Int, Item)], error: GranaryError?) {
        var left: [(entity: Int, Item)] = []
        var failure: GranaryError?
        for (entity, item) in items {
            do {
                try statement(entity, item)
            } catch let error as GranaryError where error.code == code {
                left.append((entity, item))
                failure = error
            }
        }
        return (left, failure)
    }
}
