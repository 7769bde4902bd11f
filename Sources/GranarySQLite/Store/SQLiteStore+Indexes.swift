import CSQLite
import GranaryStoreKit

// An index can be made from the rows, so a database without one of its indexes is opened all the same. For writing, the
// index is made first, in one transaction; for reading, the store works without it, and the check reports it.
//
// To free the pages of an index, SQLite reads each page and each of its entries: about 4 microseconds for a page that
// the system has in memory. So a migration does not wait for it: it marks a dropped index, which is removed later.

extension SQLiteStore {
    /// Makes the indexes of the stored schema that are missing in the database.
    ///
    /// - Throws: `uniqueness` with the keys of the records that have the same values, `busy`, `full`, `io`,
    ///   `cancelled`. The database is as it was then.
    static func makeMissingIndexes(_ path: String, _ options: SQLiteOptions) throws {
        let connection = try Connection(path: path, purpose: .writing, options: options)
        defer { connection.close() }
        let names = try connection.changing(busyAfter: options.busySeconds) {
            try connection.endingWhenCancelled { try connection.makeMissingIndexes() }
        }
        LongWork.current?.note(madeIndexes: names)
    }

    public func removeDroppedIndexes() throws {
        try pauseWriting()
        defer { giveTurn() }
        let connection = try Connection(path: path, purpose: .writing, options: options)
        defer { connection.close() }
        try connection.changing(busyAfter: options.busySeconds) {
            try connection.remove(StoreMetadata(connection).droppedIndexes)
        }
    }
}

extension Connection {
    /// Makes the indexes of the stored schema that are missing in the database, in a transaction that has begun.
    /// Returns their names.
    func makeMissingIndexes() throws -> [String] {
        let metadata = try StoreMetadata(self)
        var indexes: [MissingIndex] = []
        for entity in metadata.schema.entities {
            for index in entity.indexes {
                let name = SchemaSQL.name(of: index, in: entity)
                guard let object = metadata.missingIndexes.first(where: { $0.name == name }) else { continue }
                indexes.append(MissingIndex(entity: entity, index: index, object: object))
            }
        }
        try make(indexes)
        return indexes.map(\.object.name)
    }

    /// Removes indexes in a transaction that has begun.
    ///
    /// The cache is small during this: SQLite would spend half of the time on memory for pages that are not read again.
    /// If SQLite is built to overwrite deleted data, as Debian's is, it would also write zeros to each page, through
    /// the log, which is ten times slower. Here it overwrites only pages that it writes anyway. So free pages hold
    /// values of records until they are reused, or the store is compacted. These values are also in the records, which
    /// stay.
    func remove(_ indexes: [SchemaSQL.Object]) throws {
        guard !indexes.isEmpty else { return }
        guard case .integer(let size)? = try values("PRAGMA cache_size").first?.first else {
            throw StoreMetadata.damaged(self)
        }
        try execute("PRAGMA secure_delete = FAST")
        // A negative number is in kibibytes.
        try execute("PRAGMA cache_size = -512")
        for index in indexes { try execute("DROP INDEX \(EntitySQL.quoted(index.name))") }
        try execute("PRAGMA cache_size = \(size)")
    }

    /// Makes indexes in a transaction that has begun, and reports the number of records so far.
    func make(_ indexes: [MissingIndex]) throws {
        guard let last = indexes.last else { return }
        let isFollowed = LongWork.current?.onProgress != nil
        func records(of entity: Entity) throws -> Int {
            let rows = try values("SELECT count(*) FROM \(EntitySQL.quoted(entity.name))")
            guard case .integer(let count)? = rows.first?.first else { return 0 }
            return Int(clamping: count)
        }
        var counter = try RecordCounter { try indexes.reduce(0) { try $0 + records(of: $1.entity) } }
        for missing in indexes {
            try counter.tell(missing.entity)
            try createIndex(missing.object, missing.index, of: missing.entity)
            if isFollowed { try counter.count(records(of: missing.entity), of: missing.entity) }
        }
        try counter.tell(last.entity)
    }
}

/// An index to be made over the records of an entity.
struct MissingIndex {
    let entity: Entity
    let index: Index
    let object: SchemaSQL.Object
}
