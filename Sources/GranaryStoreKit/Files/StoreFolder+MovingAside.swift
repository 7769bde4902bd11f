import GranaryPlatform

extension StoreFolder {
    /// Renames the store at a path, and returns its new path: in the same folder, with a suffix at the end of its name.
    /// The store must not be open. Nothing in it changes.
    ///
    /// - Parameter suffix: Nil for `.aside-` and a number that is free.
    /// - Throws: `busy` if the store is open, in this process or another; `notAStore`, `permissionDenied`, `io`;
    ///   `commitOutcomeUnknown` if it is renamed, but may have its old name after a power failure.
    static func moveAside(path: String, suffix: String? = nil) throws(GranaryError) -> String {
        let place = try StorePath(path)
        guard let root = try place.openFolder() else {
            throw GranaryError.noStore(at: place.path)
        }
        let busy = GranaryError(
            .busy, "\(root.path) is open, and so cannot be moved aside. Close it everywhere and try again.")
        guard try lockRoot(root), let lockFile = try lockFile(in: root, .readWrite), try lockFile.tryLock(.exclusive)
        else { throw busy }
        defer { root.unlock() }
        guard try isStillThere(root, lockFile) else { throw busy }
        let parent = try OpenFolder(place.parent)
        var (name, number) = (place.name + (suffix ?? ".aside-1"), 1)
        while suffix == nil, try parent.status(name) != nil {
            number += 1
            name = "\(place.name).aside-\(number)"
        }
        try parent.rename(place.name, to: name)
        do throws(GranaryError) {
            try parent.synchronize()
        } catch {
            throw error.afterDone(
                "\(place.path) is moved to \(parent.path(of: name)), but may be back after a power failure.")
        }
        return parent.path(of: name)
    }
}

/// Renames the store on disk at a path, for a verb that puts another store in its place. No process may have it open.
/// Returns the new path.
///
/// - Parameter suffix: What is added to its name.
/// - Throws: Like `moveAside` of a provider.
package func moveStoreAside(path: String, suffix: String) throws(GranaryError) -> String {
    try StoreFolder.moveAside(path: path, suffix: suffix)
}
