import CSQLite
import GranaryStoreKit

extension Connection {
    /// Makes an index over existing records.
    ///
    /// - Throws: `uniqueness` with the keys of the records that have the same values.
    func createIndex(_ object: SchemaSQL.Object, _ index: Index, of entity: Entity) throws {
        do {
            try execute(object.sql)
        } catch let error as GranaryError {
            guard error.underlying.map({ $0.code & 0xFF == SQLITE_CONSTRAINT }) ?? false else { throw error }
            guard let duplicates = try duplicates(index, entity).error else { throw error }
            throw duplicates.causedBy(error.underlying ?? .init(engine: "sqlite", code: 19, message: ""))
        }
    }

    private func duplicates(_ index: Index, _ entity: Entity) throws -> DuplicateRecords {
        let columns = index.attributes.map { name in
            let isText = entity.attributes.first { $0.name == name }?.type.storage == .text
            return isText ? EntitySQL.folded(EntitySQL.quoted(name), index.folding) : EntitySQL.quoted(name)
        }
        let (table, key) = (EntitySQL.quoted(entity.name), EntitySQL.quoted(entity.key))
        let list = columns.joined(separator: ", ")
        let present = index.attributes.map { "\(EntitySQL.quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
        // Records in the order of their values and keys: records with the same values are next to each other.
        let rows = try values(
            """
            SELECT \(key), \(list) FROM \(table) WHERE \(present) AND (\(list)) IN \
            (SELECT \(list) FROM \(table) WHERE \(present) GROUP BY \(list) HAVING count(*) > 1) \
            ORDER BY \(list), \(key) LIMIT 101
            """)
        var duplicates = DuplicateRecords(entity, index.attributes)
        for (row, next) in zip(rows, rows.dropFirst()) where row.dropFirst() == next.dropFirst() {
            guard !duplicates.isFull else { break }
            duplicates.add(row[0], next[0])
        }
        return duplicates
    }
}
