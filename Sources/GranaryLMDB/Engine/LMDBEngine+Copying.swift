import CLMDB
import GranaryKeyValue
import GranaryPlatform
import GranaryStoreKit

// The copy is made entry by entry, in the order of keys. LMDB has a function that copies pages, but it refuses a file
// with pages that are neither used nor free, which is lost space and not damage, and it copies half-empty pages
// unchanged.

extension LMDBEngine {
    /// The number of bytes in one transaction of the copy, which LMDB holds in memory until it commits.
    private static let copiedAtOnce = 32 << 20

    /// Writes the newest committed state to an environment in an empty folder, and closes it. It is not synced. Counts
    /// as a reader.
    public func copyCompacted(into folder: String) throws {
        // LMDB follows every page that it reads, so the structure must be known to be sound.
        if let fault = try verify().first { throw GranaryError(.corrupt, fault) }
        // Prevents the reuse of this state's pages while another environment reads them.
        let reader = try beginRead()
        defer { reader.end() }
        let meta = try LMDBFileCheck.checkMetaBesideWriters(path: dataPath)
        let databases = Self.room(for: Int(clamping: meta.main.entries))
        // Without a lock file: both are used only here, and LMDB's locks do not allow a second environment in a
        // process.
        let flags = UInt32(MDB_NOLOCK | MDB_NOTLS)
        let size = (Int(clamping: meta.lastPage) + 1) * meta.pageSize
        let source = try Self.openPlain(
            self.folder, flags: flags | UInt32(MDB_RDONLY), mapSize: size, databases: databases)
        defer { mdb_env_close(source) }
        let copy = try Self.openPlain(
            folder, flags: flags | UInt32(MDB_NOSYNC), mapSize: 2 * size + 1 << 20, databases: databases)
        defer { mdb_env_close(copy) }
        var transaction: OpaquePointer?
        try require(Self.beginReading(source, &transaction), "copying", in: self.folder)
        defer { mdb_txn_abort(transaction) }
        var writer = CopyWriter(environment: copy, folder: folder)
        defer { writer.abort() }
        let names = try databaseNames(transaction)
        var counter = try RecordCounter {
            try names.reduce(0) { try $0 + entryCount(transaction, $1) }
        }
        try counter.tell()
        for name in names {
            var handle: MDB_dbi = 0
            try require(mdb_dbi_open(transaction, name, 0, &handle), "copying", in: self.folder)
            try writer.begin(name)
            try forEachEntry(transaction, handle) { key, value in
                try counter.countEntry()
                try writer.append(&key, &value)
                if writer.bytes >= Self.copiedAtOnce {
                    try writer.commit()
                    try writer.begin(name)
                }
            }
            try writer.commit()
        }
        try counter.tell()
    }

    private func entryCount(_ transaction: OpaquePointer?, _ name: [CChar]) throws -> Int {
        var handle: MDB_dbi = 0
        var statistics = MDB_stat()
        try require(mdb_dbi_open(transaction, name, 0, &handle), "copying", in: folder)
        try require(mdb_stat(transaction, handle, &statistics), "copying", in: folder)
        return statistics.ms_entries
    }

    private func databaseNames(_ transaction: OpaquePointer?) throws -> [[CChar]] {
        var main: MDB_dbi = 0
        try require(mdb_dbi_open(transaction, nil, 0, &main), "copying", in: folder)
        var names: [[CChar]] = []
        try forEachEntry(transaction, main) { key, _ in
            names.append(
                UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size).map { CChar(bitPattern: $0) } + [0])
        }
        return names
    }

    private func forEachEntry(
        _ transaction: OpaquePointer?, _ handle: MDB_dbi, _ body: (inout MDB_val, inout MDB_val) throws -> Void
    ) throws {
        var cursor: OpaquePointer?
        try require(mdb_cursor_open(transaction, handle, &cursor), "copying", in: folder)
        defer { mdb_cursor_close(cursor) }
        var (key, value) = (MDB_val(), MDB_val())
        var result = mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
        while result == 0 {
            try body(&key, &value)
            result = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        if result != MDB_NOTFOUND { try require(result, "copying", in: folder) }
    }

    private static func openPlain(_ folder: String, flags: UInt32, mapSize: Int, databases: UInt32) throws
        -> OpaquePointer
    {
        var created: OpaquePointer?
        var result = mdb_env_create(&created)
        if result == 0 { result = mdb_env_set_maxdbs(created, databases) }
        if result == 0 { result = mdb_env_set_mapsize(created, mapSize) }
        if result == 0 { result = mdb_env_open(created, folder, flags, 0o600) }
        guard result == 0, let created else {
            mdb_env_close(created)
            throw EngineFailures.lmdb(result, "copying", in: folder)
        }
        return created
    }
}

/// Makes the disk begin writing committed data of a file that is synced once it is complete.
func beginWriting(_ environment: OpaquePointer?) {
    var descriptor: Int32 = -1
    if mdb_env_get_fd(environment, &descriptor) == 0 { FileSystem.beginWriting(descriptor) }
}

private func require(_ result: Int32, _ doing: String, in folder: String) throws {
    guard result == 0 else { throw EngineFailures.lmdb(result, doing, in: folder) }
}

/// The write transactions of a copy, one after the other.
private struct CopyWriter {
    let environment: OpaquePointer
    let folder: String
    private var transaction: OpaquePointer?
    private var cursor: OpaquePointer?
    /// The number of bytes written in this transaction.
    private(set) var bytes = 0

    init(environment: OpaquePointer, folder: String) { (self.environment, self.folder) = (environment, folder) }

    /// Begins a transaction that adds entries to one database, which is created if it does not exist.
    mutating func begin(_ name: [CChar]) throws {
        var handle: MDB_dbi = 0
        try require(mdb_txn_begin(environment, nil, 0, &transaction), "copying", in: folder)
        try require(mdb_dbi_open(transaction, name, UInt32(MDB_CREATE), &handle), "copying", in: folder)
        try require(mdb_cursor_open(transaction, handle, &cursor), "copying", in: folder)
        bytes = 0
    }

    mutating func append(_ key: inout MDB_val, _ value: inout MDB_val) throws {
        bytes += key.mv_size + value.mv_size
        try require(mdb_cursor_put(cursor, &key, &value, UInt32(MDB_APPEND)), "copying", in: folder)
    }

    mutating func commit() throws {
        if let cursor { mdb_cursor_close(cursor) }
        defer { (cursor, transaction) = (nil, nil) }
        try require(mdb_txn_commit(transaction), "copying", in: folder)
        beginWriting(environment)
    }

    mutating func abort() {
        if let cursor { mdb_cursor_close(cursor) }
        if let transaction { mdb_txn_abort(transaction) }
        (cursor, transaction) = (nil, nil)
    }
}
