import GranaryPlatform

extension StoreFolder {
    /// Opens the store at a path. With ``Access/readWrite`` it creates the store first if it does not exist.
    ///
    /// If several processes create at the same time, one creates the store and the others then open it.
    ///
    /// - Parameters:
    ///   - path: The path of the folder. Its parent must exist.
    ///   - kind: The engine that will read the files: `sqlite`, `lmdb`.
    ///   - busyTimeout: How many seconds to wait for processes that create or change the store.
    ///   - permissions: The permissions of a store that is created.
    ///   - create: Makes the engine's files in an empty folder, whose path it gets, and closes them. They need not be
    ///     synced. If it throws, everything made is removed and its error is rethrown.
    ///   - wasMade: Called once the store is made, before it is opened.
    /// - Throws: `.invalidPath` for a path that cannot hold a store; `.notAStore` for a folder of other files, a
    /// store of another engine, or (for reading only) a missing store; `.corrupt`, `.newerFormat` depending on
    /// `CURRENT`; `.permissionDenied`, `.readOnly`, `.full`, `.io` from the system; `.busy` after the time-out;
    /// `.commitOutcomeUnknown` if it has made the store, which then could not be opened.
    static func open(
        path: String, kind: String, access: StoreAccess, busyTimeout: Double, permissions: FilePermissions = .owner,
        create: (_ generationPath: String) throws -> Void, wasMade: () -> Void = {}
    ) throws -> StoreFolder {
        guard StoreDescription.isKind(kind) else {
            throw GranaryError(.unsupported, "A kind of store is 1 to 32 of a-z, 0-9 and -. Rename the kind.")
        }
        var opening = Opening(
            place: try StorePath(path), kind: kind, access: access, permissions: permissions,
            deadline: Deadline(seconds: busyTimeout))
        // Each round ends because another process made progress: created, destroyed or replaced the folder.
        do {
            for _ in 0..<1_000 {
                if let folder = try opening.attempt(create: create, wasMade: wasMade) { return folder }
            }
            throw opening.busy
        } catch {
            throw opening.isMade ? GranaryError.made(at: opening.place.path, butNotOpened: error) : error
        }
    }
}

/// One call of ``StoreFolder/open(path:kind:access:busyTimeout:create:)``.
struct Opening {
    let place: StorePath
    let kind: String
    let access: StoreAccess
    let permissions: FilePermissions
    let deadline: Deadline
    private var mayClean: Bool
    /// Whether it has made the store, and its names are on the disk.
    fileprivate private(set) var isMade = false

    init(place: StorePath, kind: String, access: StoreAccess, permissions: FilePermissions, deadline: Deadline) {
        (self.place, self.kind, self.access, self.permissions) = (place, kind, access, permissions)
        self.deadline = deadline
        mayClean = access == .readWrite
    }

    var busy: GranaryError {
        GranaryError(
            .busy,
            "\(place.path) is being created or changed by another process or stack. "
                + "Try again, or give a longer busy time-out.")
    }

    /// Opens the store. Returns nil if the folder changed in the meantime, so that everything must be examined again.
    mutating func attempt(create: (String) throws -> Void, wasMade: () -> Void) throws -> StoreFolder? {
        var isNew = false
        if access == .readWrite, try FileSystem.status(place.path) == nil {
            isNew = try FileSystem.makeFolder(place.path, fileMode: permissions.fileMode)
        }
        do {
            return try attempt(isNew: isNew, create: create, wasMade: wasMade)
        } catch {
            // Nothing was created, so nothing is left behind. The system refuses to remove a folder that other
            // processes use by now.
            if isNew { try? FileSystem.removeEmptyFolder(place.path) }
            throw error
        }
    }

    private mutating func attempt(
        isNew: Bool, create: (String) throws -> Void, wasMade: () -> Void
    ) throws -> StoreFolder? {
        guard let root = try place.openFolder(permissions) else {
            if access == .readWrite { return nil }
            throw GranaryError.noStore(at: place.path)
        }
        let names = try root.names()
        let isStore = names.contains(StoreNames.current)
        if !isStore {
            try StoreFolder.requireLeftOvers(names, in: root)
            guard access == .readWrite else { throw GranaryError.unfinishedStore(at: root.path) }
        }
        if access == .readWrite { try root.requireWritable() }
        // If LOCK must be made, the folder must be that of a store of this kind: if it is refused, it stays as it is.
        if isStore, access == .readWrite, try root.status(StoreNames.lock) == nil {
            guard try root.status(StoreNames.current) != nil else { return nil }
            _ = try description(in: root)
        }

        let lockFile = try StoreFolder.lockFile(in: root, access)
        guard let lockFile else {
            // Nothing has been written here since the folder was copied without its LOCK, so there is no process to
            // wait for.
            if access == .readOnly { return try open(root, lockFile: nil) }
            return nil
        }
        guard try lockFile.lock(.shared, until: deadline) else { throw busy }
        guard try StoreFolder.isStillThere(root, lockFile) else { return nil }

        if try root.status(StoreNames.current) != nil {
            guard mayClean, try StoreFolder.hasLeftOvers(root) else {
                // The process that made the store or its live generation may have been killed before the names were on
                // the disk. Later commits must not be lost together with the names.
                if access == .readWrite, !isMade {
                    try root.synchronize()
                    try FileSystem.synchronizeFolder(place.parent)
                }
                return try open(root, lockFile: lockFile)
            }
            // Only once, and only if no other process has the store open: this process must not remove the generation
            // of another one.
            mayClean = false
            _ = try description(in: root)
            if try lockFile.tryLock(.exclusive), try StoreFolder.isStillThere(root, lockFile) {
                // If a left-over cannot be removed, the next opening tries again.
                try? StoreFolder.removeUnnamedGenerations(in: root)
            }
            return nil
        }

        if access == .readOnly { return nil }
        // A process that is making the store may keep it open for any time. Its lock is waited for only until the store
        // exists.
        func isMissing() throws(GranaryError) -> Bool { try root.status(StoreNames.current) == nil }
        let isAlone = try lockFile.lock(.exclusive, until: deadline, while: isMissing)
        guard try StoreFolder.isStillThere(root, lockFile), try isMissing() else { return nil }
        guard isAlone else { throw busy }
        do {
            try StoreFolder.create(in: root, place, kind: kind, create)
            isMade = true
            wasMade()
        } catch {
            // A process that waits for this LOCK sees that it is gone and begins again.
            if isNew, try root.status(StoreNames.current) == nil { try? root.removeFile(StoreNames.lock) }
            throw error
        }
        return nil
    }

    private func open(_ root: OpenFolder, lockFile: OpenFile?) throws(GranaryError) -> StoreFolder {
        let description = try description(in: root)
        return try StoreFolder(root: root, lockFile: lockFile, description: description, access: access)
    }

    private func description(in root: OpenFolder) throws(GranaryError) -> StoreDescription {
        let description = try StoreFolder.description(in: root)
        guard description.kind == kind else {
            throw GranaryError.storeOfOtherKind(at: root.path, description.kind, wanted: kind)
        }
        return description
    }
}
