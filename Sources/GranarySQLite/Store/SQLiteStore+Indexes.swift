import CSQLite
import GranaryStoreKit

// An index can be made from the rows, so a database that lacks one is opened all the same: for writing it is made first, in one
// transaction; for reading the store goes on without it, and the check names it.
//
// To give the pages of an index back SQLite reads each of them and each of their entries: about 4 microseconds a page that the
// system has in memory. So a migration does not wait for it: it marks an index that it drops, which is removed later.

extension SQLiteStore {
    /// Makes the indexes that the stored schema has and the database lacks.
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
    /// Makes the indexes that the stored schema has and the database lacks, in a transaction that has begun. Returns their names.
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
    /// The cache is small meanwhile: SQLite would spend half of the time on memory for pages that are not read again. Where SQLite
    /// is built to overwrite what is deleted, as Debian's is, it also writes zeros to each page, through the log: ten times as
    /// slow. Here it overwrites only what it writes anyway. So free pages hold values of records until they are used again, or the store is compacted: values
    /// that the records, which stay, hold as well.
    func remove(_ indexes: [SchemaSQL.Object]) throws {
        guard !indexes.isEmpty else { return }
        guard case .integer(let size)? = try values("PRAGMA cache_size").first?.first else {
            throw StoreMetadata.damaged(self)
        }
        try execute("PRAGMA secure_delete = FAST")
        // A negative number is one of kibibytes.
        try execute("PRAGMA cache_size = -512")
        for index in indexes { try execute("DROP INDEX \(EntitySQL.quoted(index.name))") }
        try execute("PRAGMA cache_size = \(size)")
    }

    /// Makes indexes in a transaction that has begun, and tells how many records they have so far.
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

/// An index that is to be made over the records of an entity.
struct MissingIndex {
    let entity: Entity
    let index: Index
    let object: SchemaSQL.Object
}
