import CSQLite
import GranaryStoreKit

// An index can be made from the rows, so a database that lacks one is opened all the same: for writing it is made first, in one
// transaction; for reading the store goes on without it, and the check names it.

extension SQLiteStore {
    /// Makes the indexes that the stored schema has and the database lacks.
    ///
    /// - Throws: `uniqueness` with the keys of the records that have the same values, `busy`, `full`, `io`. The database is as it
    ///   was then.
    static func makeMissingIndexes(_ path: String, _ options: SQLiteOptions) throws {
        let connection = try Connection(path: path, purpose: .writing, options: options)
        defer { connection.close() }
        let names = try connection.changing(busyAfter: options.busyTimeout) { try connection.makeMissingIndexes() }
        LongWork.current?.note(madeIndexes: names)
    }
}

extension Connection {
    /// Makes the indexes that the stored schema has and the database lacks, in a transaction that has begun. Returns their names.
    func makeMissingIndexes() throws -> [String] {
        let metadata = try StoreMetadata(self)
        var names: [String] = []
        for entity in metadata.schema.entities {
            for index in entity.indexes {
                let name = SchemaSQL.name(of: index, in: entity)
                guard let object = metadata.missingIndexes.first(where: { $0.name == name }) else { continue }
                try createIndex(object, index, of: entity)
                names.append(name)
            }
        }
        return names
    }
}
