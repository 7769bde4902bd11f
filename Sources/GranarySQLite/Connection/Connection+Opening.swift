import CSQLite
import GranaryPlatform
import GranaryStoreKit

extension Connection {
    static func open(_ path: String, readOnly: Bool) throws -> OpaquePointer {
        let access = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let flags =
            access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
        do {
            let handle = try open(path, flags: flags, path: path)
            // If SQLite cannot open the file for writing, it opens it for reading, and reports that only on request.
            if !readOnly, sqlite3_db_readonly(handle, "main") == 1 {
                let error = GranaryError.notWritable(path, systemError: Library.fileError())
                sqlite3_close(handle)
                throw error
            }
            return handle
        } catch let error as GranaryError where readOnly && error.code != .corrupt {
            // A reader needs `-shm`, which it cannot make in a read-only folder. Without a `-wal` file the log is
            // empty, and without write access this process does not change the file.
            guard try FileSystem.status(path + "-wal") == nil else { throw error }
            let escaped = path.utf8.map { byte in
                byte == 0x25 || byte == 0x3F || byte == 0x23 ? "%" + String(byte, radix: 16) : nil
            }
            var uri: [UInt8] = Array("file:".utf8)
            for (byte, replacement) in zip(path.utf8, escaped) { uri += replacement.map { Array($0.utf8) } ?? [byte] }
            uri += Array("?immutable=1".utf8)
            return try open(String(decoding: uri, as: UTF8.self), flags: flags | SQLITE_OPEN_URI, path: path)
        }
    }

    private static func open(_ name: String, flags: Int32, path: String) throws -> OpaquePointer {
        var handle: OpaquePointer?
        var code = sqlite3_open_v2(name, &handle, flags, Library.files)
        // SQLite opens lazily: the first read shows whether files beside the database can be used.
        if code == SQLITE_OK { code = sqlite3_exec(handle, "PRAGMA schema_version", nil, nil, nil) }
        guard let handle, code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else {
            defer { sqlite3_close(handle) }
            throw Connection.failure(code, handle, path)
        }
        return handle
    }

    func configure(_ purpose: Purpose, _ options: SQLiteOptions) throws {
        let settings: [(Int32, Int32)] = [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_DQS_DML, 0),
            (SQLITE_DBCONFIG_DQS_DDL, 0), (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
            (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
            (SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0), (SQLITE_DBCONFIG_ENABLE_FKEY, 1),
        ]
        for (setting, value) in settings {
            let code = granary_sqlite3_db_config_flag(handle, setting, value)
            // A library built without triggers or views reports that. Then there is nothing to switch off.
            guard code == SQLITE_OK || value == 0 else { throw failure(code) }
        }
        try functions.register(on: self)
        waitWhenBusy()
        setBusyTimeout(options.busySeconds)
        try execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY")
        try execute("PRAGMA cache_size = -\(Connection.cacheKibibytes(purpose, options.tuning))")
        switch purpose {
        // The data that is sorted for an index may be larger than the memory.
        case .building: try execute("PRAGMA synchronous = OFF; PRAGMA temp_store = FILE")
        case .reading: break
        case .writing:
            try setDurability(options.durability)
            try execute("PRAGMA journal_size_limit = 67108864")
            try requireLog(options)
            log.setLongest(options.tuning.logSize)
            watchLog()
        }
        if case .reading = purpose { watchSteps() }
    }

    /// Makes SQLite check ``cancellation`` every thousand steps of a statement, and end the statement when it is set.
    func watchSteps() {
        let box = Unmanaged.passUnretained(cancellation).toOpaque()
        // The box lives as long as the connection, which removes the handler when it closes.
        sqlite3_progress_handler(
            handle, 1000,
            { box in
                guard let box else { return 0 }
                let cancellation = Unmanaged<CancellationBox>.fromOpaque(box).takeUnretainedValue()
                cancellation.onStep?()
                return cancellation.flag?.isSet == true ? 1 : 0
            }, box)
    }

    /// Undoes ``watchSteps()``.
    func stopWatchingSteps() {
        sqlite3_progress_handler(handle, 0, nil, nil)
        cancellation.flag = nil
    }

    /// Makes commits use the write-ahead log. Without it readers and the writer would wait for each other.
    private func requireLog(_ options: SQLiteOptions) throws {
        guard options.access == .readWrite else { return }
        guard try values("PRAGMA journal_mode = WAL").first?.first == .string("wal") else {
            throw GranaryError(
                .unsupported,
                "\(path) is on a file system without shared memory, which SQLite's log needs. Keep the store on a local disk."
            )
        }
    }

    /// Sets how long the connection waits for a lock.
    func setBusyTimeout(_ seconds: Double) { busyWait.limit = max(0, seconds) }

    private static func cacheKibibytes(_ purpose: Purpose, _ tuning: SQLiteTuning) -> Int {
        if case .reading = purpose {
            tuning.kibibytes(tuning.readerCacheSize)
        } else {
            tuning.kibibytes(tuning.cacheSize)
        }
    }
}

extension Connection {
    /// Sets the durability of the next transactions. Called outside of transactions.
    func setDurability(_ durability: Durability) throws {
        guard durability != self.durability else { return }
        try execute("PRAGMA synchronous = \(durability.synchronous)")
        self.durability = durability
    }
}

extension Durability {
    /// The name of the setting in SQLite, for a write-ahead log.
    fileprivate var synchronous: String {
        switch self {
        case .full: "FULL"
        case .relaxed: "NORMAL"
        case .off: "OFF"
        }
    }
}
