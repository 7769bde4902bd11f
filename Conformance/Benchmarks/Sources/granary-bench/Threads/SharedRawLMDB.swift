import CLMDBRaw

// @unchecked: an environment of LMDB may be used by all threads, and the rest of the library's fields never change.
struct SharedRawLMDB: SharedStore, @unchecked Sendable {
    private let library: RawLMDBSubject

    init(_ library: RawLMDBSubject) { self.library = library }

    func makeFinder() throws -> any TrackFinder { try RawLMDBFinder(library) }
    func commit(_ tracks: [Track]) throws { try library.insert(tracks) }

    func count() throws -> Int {
        var count = 0
        try library.stream { _ in count += 1 }
        return count
    }

    func close() throws { try library.close() }
}

/// A transaction that reads, which is renewed for each read.
///
// @unchecked: one thread at a time uses a finder, and with MDB_NOTLS a transaction may go from thread to thread.
final class RawLMDBFinder: TrackFinder, @unchecked Sendable {
    private let library: RawLMDBSubject
    private let transaction: OpaquePointer

    init(_ library: RawLMDBSubject) throws {
        self.library = library
        transaction = try library.beginRead()
        mdb_txn_reset(transaction)
    }

    func find(_ key: Int64) throws -> Track {
        try RawLMDBSubject.check(mdb_txn_renew(transaction))
        defer { mdb_txn_reset(transaction) }
        return try library.track(key, transaction)
    }

    func find(_ keys: ArraySlice<Int64>) throws -> [Track] {
        try RawLMDBSubject.check(mdb_txn_renew(transaction))
        defer { mdb_txn_reset(transaction) }
        return try keys.map { try library.track($0, transaction) }
    }

    func close() { mdb_txn_abort(transaction) }
}
