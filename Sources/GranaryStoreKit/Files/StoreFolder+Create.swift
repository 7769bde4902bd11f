import GranaryPlatform

extension StoreFolder {
    /// Creates a store in a folder without `CURRENT`. Needs the exclusive lock.
    ///
    /// Each step is on the disk before the next begins, so that a crash leaves a state that ``requireLeftOvers(_:in:)``
    /// knows.
    static func create(
        in root: OpenFolder, _ place: StorePath, kind: String, _ body: (String) throws -> Void
    ) throws {
        try requireLeftOvers(root.names(), in: root)
        try requireOutside(of: place)
        let description = StoreDescription(kind: kind)
        try removeUnfinished(in: root)
        do {
            try writeNext(description, in: root)
            try root.synchronize()
            try build(description.generation, in: root, body)
            try root.requireDescriptors(descriptorsOfOpening)
            try root.rename(StoreNames.next, to: StoreNames.current)
            try root.synchronize()
            try FileSystem.synchronizeFolder(place.parent)
        } catch {
            // If the names of a store could not be synced, the next opening must not find the store, because it would
            // not sync them. Its old name must be gone from the disk before its data is.
            let isNamed = (try? root.status(StoreNames.current)) != .some(nil)
            if !isNamed || (try? hide(root)) != nil { try? removeUnfinished(in: root) }
            throw error
        }
    }

    /// About how many more files are opened when a store is opened after it was made.
    private static let descriptorsOfOpening = 8

    /// Refuses a place inside another store, because the other store would remove this one when it is replaced or
    /// destroyed.
    static func requireOutside(of place: StorePath) throws(GranaryError) {
        var names = place.parent.split(separator: "/")
        while !names.isEmpty {
            let folder = names.reduce("") { "\($0)/\($1)" }
            if try isStore(folder) {
                throw GranaryError(
                    .invalidPath, "\(place.path) is inside the store at \(folder). Choose a path outside of it.")
            }
            names.removeLast()
        }
    }

    /// Whether a folder is that of a store, including a damaged one and one of a newer version. If the file `CURRENT`
    /// belongs to another program, the folder is not a store; if it cannot be read, the folder counts as a store.
    private static func isStore(_ path: String) throws(GranaryError) -> Bool {
        guard try FileSystem.status("\(path)/\(StoreNames.current)")?.kind == .file else { return false }
        do throws(GranaryError) {
            _ = try readCurrent(in: OpenFolder(path))
        } catch {
            return error.code != .notAStore
        }
        return true
    }

    /// Renames `CURRENT` to `CURRENT.tmp`, so that it marks everything beside it as left over.
    private static func hide(_ root: OpenFolder) throws(GranaryError) {
        try root.rename(StoreNames.current, to: StoreNames.next)
        try root.synchronize()
    }

    /// Removes the left-overs of an interrupted creation or destruction. `CURRENT.tmp` is removed last, because it
    /// marks the other items as removable.
    static func removeUnfinished(in root: OpenFolder) throws(GranaryError) {
        for name in try root.names() where StoreNames.generationNumber(name) != nil {
            try root.removeTree(name)
        }
        try ExternalFiles.removeAll(in: root)
        try root.synchronize()
        try root.removeTree(StoreNames.next)
    }

    /// Makes a generation with the body, and syncs all of it, including its name.
    static func build(_ generation: Int, in root: OpenFolder, _ body: (String) throws -> Void) throws {
        let name = StoreNames.generation(generation)
        guard try root.makeFolder(name) else {
            throw GranaryError(.io, "\(root.path(of: name)) is there although nobody may have made it. Remove it.")
        }
        try body(root.path(of: name))
        try root.folder(name).secureAndSynchronizeTree()
        try root.synchronize()
    }

    static func writeNext(_ description: StoreDescription, in root: OpenFolder) throws(GranaryError) {
        try root.removeTree(StoreNames.next)
        let file = try root.file(StoreNames.next, .creating)
        try file.write(description.bytes)
        try file.synchronize()
    }
}
