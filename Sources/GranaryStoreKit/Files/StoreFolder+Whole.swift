import GranaryPlatform

/// Operations on a store that is not open.
extension StoreFolder {
    /// Says what store is at a path, without opening or locking it. The answer may be old when it arrives.
    ///
    /// - Throws: As ``open(path:kind:access:busyTimeout:create:)`` does for a reader.
    static func inspect(path: String) throws(GranaryError) -> StoreDescription {
        let place = try StorePath(path)
        guard let root = try place.openFolder() else {
            throw GranaryError.noStore(at: place.path)
        }
        if try root.status(StoreNames.current) == nil {
            try requireLeftOvers(root.names(), in: root)
            // It may have been finished meanwhile.
            guard try root.status(StoreNames.current) == nil else { return try description(in: root) }
            throw GranaryError.unfinishedStore(at: root.path)
        }
        return try description(in: root)
    }

    /// Whether there is what is left of a store whose making, or whose destruction, was ended, or a store whose `CURRENT` has
    /// become another file.
    static func isUnfinished(_ path: String) throws(GranaryError) -> Bool {
        guard let root = try StorePath(path).openFolder() else { return false }
        let names = try root.names()
        if names.contains(StoreNames.current) { return try hasAllButCurrent(names, in: root) }
        if !names.contains(StoreNames.next) {
            // LOCK alone is what a destruction leaves that could not remove it. Ours is empty.
            guard names == [StoreNames.lock] else { return false }
            return try root.status(StoreNames.lock)?.size == 0
        }
        try requireLeftOvers(names, in: root)
        return true
    }

    /// Whether a folder whose `CURRENT` does not say so is a store's all the same: it has a generation and the store's `LOCK`, which
    /// is empty, and no other files.
    private static func hasAllButCurrent(_ names: [String], in root: OpenFolder) throws(GranaryError) -> Bool {
        guard names.allSatisfy(StoreNames.isOurs), try root.status(StoreNames.lock)?.size == 0 else { return false }
        return names.contains { StoreNames.generationNumber($0) != nil }
    }

    /// Removes the store at a path, with all its data. A damaged store, and one that was never finished, is removed as well; files that are not the
    /// store's stay, and so does the folder with them.
    ///
    /// Interrupted, it leaves the store whole, or a folder in which the next opening creates a new one.
    ///
    /// - Throws: `.notAStore` when there is none; `.newerFormat`, because this version does not know what such a store
    ///   has; `.busy` when it stays open elsewhere for longer than the time-out; `.commitOutcomeUnknown` when it is no store any
    ///   more, but some of its files are left.
    static func destroy(path: String, busyTimeout: Double = 0) throws(GranaryError) {
        do throws(GranaryError) {
            _ = try inspect(path: path)
        } catch {
            // What is damaged is ours all the same, and to be removed; so is one that was never finished.
            if error.code != .corrupt {
                guard error.code == .notAStore, try isUnfinished(path) else { throw error }
            }
        }
        let place = try StorePath(path)
        guard let root = try place.openFolder() else { return }
        try root.requireWritable()
        let deadline = Deadline(seconds: busyTimeout)
        // See ``switchGeneration(busyTimeout:build:wentLive:)``: who tries to switch has no lock for a moment.
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
        // Under its other name CURRENT marks everything beside it as left over.
        if try root.status(StoreNames.current) != nil {
            // A folder of that name is none that a file replaces.
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
