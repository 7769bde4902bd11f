import GranaryPlatform

/// Operations on a store that is not open.
extension StoreFolder {
    /// Returns the description of the store at a path, without opening or locking the store. It may be outdated when it
    /// arrives.
    ///
    /// - Throws: Like ``open(path:kind:access:busyTimeout:create:)`` for a reader.
    static func inspect(path: String) throws(GranaryError) -> StoreDescription {
        let place = try StorePath(path)
        guard let root = try place.openFolder() else {
            throw GranaryError.noStore(at: place.path)
        }
        if try root.status(StoreNames.current) == nil {
            try requireLeftOvers(root.names(), in: root)
            // The store may have been finished in the meantime.
            guard try root.status(StoreNames.current) == nil else { return try description(in: root) }
            throw GranaryError.unfinishedStore(at: root.path)
        }
        return try description(in: root)
    }

    /// Whether the folder has left-overs of a store whose making, or whose destruction, was interrupted, or a store
    /// whose `CURRENT` was replaced by another file.
    static func isUnfinished(_ path: String) throws(GranaryError) -> Bool {
        guard let root = try StorePath(path).openFolder() else { return false }
        let names = try root.names()
        if names.contains(StoreNames.current) { return try hasAllButCurrent(names, in: root) }
        if !names.contains(StoreNames.next) {
            // LOCK alone is left over by a destruction that could not remove it. A store's LOCK is empty.
            guard names == [StoreNames.lock] else { return false }
            return try root.status(StoreNames.lock)?.size == 0
        }
        try requireLeftOvers(names, in: root)
        return true
    }

    /// Whether a folder is a store's although its `CURRENT` does not show it: it has a generation and the store's
    /// `LOCK`, which is empty, and no other files.
    private static func hasAllButCurrent(_ names: [String], in root: OpenFolder) throws(GranaryError) -> Bool {
        guard names.allSatisfy(StoreNames.isOurs), try root.status(StoreNames.lock)?.size == 0 else { return false }
        return names.contains { StoreNames.generationNumber($0) != nil }
    }

    /// Removes the store at a path, with all its data. A damaged store, and an unfinished one, is removed as well.
    /// Other files stay, and so does the folder with them.
    ///
    /// If it is interrupted, the store is complete, or the next opening creates a new one in the folder.
    ///
    /// - Throws: `.notAStore` if the store does not exist; `.newerFormat`, because this version does not know the files
    ///   of such a store; `.busy` if another process has it open for longer than the time-out; `.commitOutcomeUnknown`
    ///   if it is no longer a store, but some of its files are left.
    static func destroy(path: String, busyTimeout: Double = 0) throws(GranaryError) {
        do throws(GranaryError) {
            _ = try inspect(path: path)
        } catch {
            // A damaged store is removed as well, and so is an unfinished one.
            if error.code != .corrupt {
                guard error.code == .notAStore, try isUnfinished(path) else { throw error }
            }
        }
        let place = try StorePath(path)
        guard let root = try place.openFolder() else { return }
        try root.requireWritable()
        let deadline = Deadline(seconds: busyTimeout)
        // See ``switchGeneration(busyTimeout:build:wentLive:)``: a process that tries to switch has no lock for a
        // moment.
        guard try lockRoot(root), let lockFile = try lockFile(in: root, .readWrite),
            try lockFile.lock(.exclusive, until: deadline)
        else {
            throw GranaryError(
                .busy, "\(root.path) is open. Close it everywhere and try again, or give a longer time-out.")
        }
        defer { root.unlock() }
        guard try isStillThere(root, lockFile) else {
            throw GranaryError(.busy, "\(root.path) was replaced by another process meanwhile. Try again.")
        }
        // Under its other name, CURRENT marks everything beside it as left over.
        if try root.status(StoreNames.current) != nil {
            // A file cannot replace a folder of that name.
            try root.removeTree(StoreNames.next)
            try root.rename(StoreNames.current, to: StoreNames.next)
        } else if try root.status(StoreNames.next) == nil {
            try root.file(StoreNames.next, .creating).synchronize()
        }
        do throws(GranaryError) {
            try root.synchronize()
            try removeUnfinished(in: root)
            try root.removeFile(StoreNames.lock)
            if try root.names().isEmpty { try? FileSystem.removeEmptyFolder(root.path) }
        } catch {
            throw error.afterDone(
                "\(root.path) is no store any more, but not all of its files are removed. Destroy it again.")
        }
    }
}
