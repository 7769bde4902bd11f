import CLMDB
import GranaryStoreKit
import GranaryPlatform

extension LMDBEngine {
    private static let smallestMap = 64 << 10
    private static let readerSlot = 64
    private static let lockHeader = 192

    /// Finds or creates the data file, claims it in the registry, and returns its identity. An empty file counts as a
    /// new one.
    static func claim(_ path: String, folder: String, readOnly: Bool) throws -> FileIdentity {
        let flags = readOnly ? O_RDONLY : O_RDWR | O_CREAT
        let descriptor = openDescriptor(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw EngineFailures.posix(errno, "opening the data file", path: path) }
        defer { closeDescriptor(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw EngineFailures.posix(errno, "opening the data file", path: path)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw GranaryError(.notAStore, "\(path) is not a regular file. Check the path.")
        }
        let identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        try EnvironmentRegistry.claim(identity, folder: folder)
        return identity
    }

    /// The first opening: `lock` is held, no transaction is open.
    func openFirst() throws {
        let deadline = Deadline(seconds: options.busySeconds)
        guard let marker else {
            try check(isAlone: true, isClean: false)
            return try openEnvironment()
        }
        try marker.enterGate(until: deadline)
        defer { marker.leaveGate() }
        let isAlone = try marker.becomeSoleUser()
        do {
            try check(isAlone: isAlone, isClean: marker.isClean)
            if isAlone { try marker.markInUse() }
            try marker.join()
            try reserveLockFile()
            try openEnvironment()
        } catch {
            marker.leave()
            throw error
        }
    }

    /// The conditions before the file is mapped. A file that another process writes to cannot be walked, and need not
    /// be: the first process has done it.
    private func check(isAlone: Bool, isClean: Bool) throws {
        var status = stat()
        guard lstat(dataPath, &status) == 0 else {
            throw EngineFailures.posix(errno, "opening the data file", path: dataPath)
        }
        if status.st_size == 0 {
            guard !options.readOnly else {
                throw GranaryError(.notAStore, "\(dataPath) is empty. Open it for writing first.")
            }
            return
        }
        if isAlone, options.verify == .full || !isClean || status.st_size <= Options.quickWalk {
            try LMDBFileCheck.walk(path: dataPath, allowingLeaks: true)
        }
        let meta =
            try isAlone
            ? LMDBFileCheck.checkMeta(path: dataPath) : LMDBFileCheck.checkMetaBesideWriters(path: dataPath)
        state.maximumDatabases = Self.room(for: Int(clamping: meta.main.entries))
    }

    /// Twice the number of existing databases, as a power of two. Each costs LMDB 49 bytes for a transaction object and
    /// 57 for a savepoint.
    static func room(for databases: Int) -> UInt32 {
        var room: UInt32 = 64
        while Int(room) < min(databases, 1 << 22) * 2 + 8 { room *= 2 }
        return room
    }

    /// Reserves the disk blocks of `lock.mdb`. LMDB only extends and maps it, and on a full disk the first access would
    /// kill the process.
    private func reserveLockFile() throws {
        let path = folder + "/lock.mdb"
        let file = try OpenFile(path, .writingOrCreating)
        file.copyMode(of: dataPath)
        try file.reserve(Int64(Self.lockHeader + Self.readerSlot * max(0, options.maxReaders - 1)))
    }

    /// Opens the environment with the wanted size of the map, or the largest possible one. `lock` is held.
    func openEnvironment() throws {
        var size = state.mapSize > 0 ? state.mapSize : options.mapSize
        if let limit = AddressSpace.limit { size = min(size, limit / 4) }
        size = max(size, Self.smallestMap) & ~4095
        while true {
            do {
                state.environment = try openOnce(mapSize: size)
                break
            } catch let error as GranaryError {
                guard error.underlying?.code == ENOMEM, size > Self.smallestMap else { throw error }
                size = max(Self.smallestMap, size / 2) & ~4095
            }
        }
        var information = MDB_envinfo()
        mdb_env_info(state.environment, &information)
        state.mapSize = information.me_mapsize
        var statistics = MDB_stat()
        mdb_env_stat(state.environment, &statistics)
        // The file is mapped at a multiple of the system's page size.
        let pageSize = Int(statistics.ms_psize)
        state.mappedPageSize = pageSize <= sysconf(Int32(_SC_PAGESIZE)) ? pageSize : 0
        state.needsReopening = false
        state.wantedMapSize = nil
        var cleared: Int32 = 0
        mdb_reader_check(state.environment, &cleared)
    }

    private func openOnce(mapSize: Int) throws -> OpaquePointer {
        var created: OpaquePointer?
        var result = mdb_env_create(&created)
        guard result == 0, let environment = created else {
            throw EngineFailures.lmdb(result, "creating an environment", in: folder)
        }
        var flags = UInt32(MDB_NOTLS)
        if options.durability != .full { flags |= UInt32(MDB_NOMETASYNC) }
        if options.readOnly { flags |= UInt32(MDB_RDONLY) }
        if options.isBuilding { flags |= UInt32(MDB_NOSYNC) }
        result = mdb_env_set_maxreaders(environment, UInt32(clamping: max(1, options.maxReaders)))
        if result == 0 { result = mdb_env_set_maxdbs(environment, state.maximumDatabases) }
        if result == 0 { result = mdb_env_set_mapsize(environment, mapSize) }
        // Another program that opens or closes at this moment can make it fail, so it is tried several times.
        for attempt in 0..<5 where result == 0 {
            result = mdb_env_open(environment, folder, flags, 0o600)
            guard result == EAGAIN || result == EBUSY, attempt < 4 else { break }
            usleep(2000)
            result = 0
        }
        guard result == 0 else {
            mdb_env_close(environment)
            // The file was just found to be LMDB's: the library also returns these codes for a failed read.
            if result == MDB_INVALID || result == MDB_VERSION_MISMATCH {
                throw EngineFailures.posix(EIO, "opening the environment", path: folder)
            }
            throw EngineFailures.lmdb(result, "opening the environment", in: folder)
        }
        return environment
    }

    /// Closes and opens the environment, with a larger map or more room for keyspaces. `lock` is held and no
    /// transaction is open. Should it fail, the next transaction tries again.
    func reopen(mapSize: Int? = nil) throws {
        let deadline = Deadline(seconds: options.busySeconds)
        try marker?.enterGate(until: deadline)
        defer { marker?.leaveGate() }
        closeEnvironment()
        state.needsReopening = true
        if let mapSize { state.mapSize = mapSize }
        _ = try LMDBFileCheck.checkMetaBesideWriters(path: dataPath)
        try reserveLockFile()
        try openEnvironment()
        do {
            try reopenHandles()
        } catch {
            state.needsReopening = true
            throw error
        }
    }

    func closeEnvironment() {
        _ = abortIdle()
        let environment = state.environment
        state.environment = nil
        if let environment { mdb_env_close(environment) }
    }

    static func isReadOnlyFileSystem(_ folder: String) -> Bool {
        var status = statvfs()
        return statvfs(folder, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
    }
}

// The C functions that methods of the class with the same names hide.

private func openDescriptor(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
