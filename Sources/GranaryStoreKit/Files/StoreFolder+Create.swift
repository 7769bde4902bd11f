import GranaryPlatform

extension StoreFolder {
    /// Creates a store in a folder without `CURRENT`. Needs the exclusive lock.
    ///
    /// Each step is on the disk before the next, so that a crash leaves a state that ``requireLeftOvers(_:in:)`` knows.
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
            // A store whose names could not be synced is not to be found by the next opening, which would not sync them.
            // Its old name must be gone from the disk before its data is.
            let isNamed = (try? root.status(StoreNames.current)) != .some(nil)
            if !isNamed || (try? hide(root)) != nil { try? removeUnfinished(in: root) }
            throw error
        }
    }

    /// How many more files a store needs, about, to be opened after it was made.
    private static let descriptorsOfOpening = 8

    /// Refuses a place inside another store, which would take this one along when it is replaced or destroyed.
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

    /// Whether a folder is that of a store, also of a damaged one and of one of a newer version. The file `CURRENT` of another
    /// program makes no store of its folder; one that cannot be read is taken for a store's.
    private static func isStore(_ path: String) throws(GranaryError) -> Bool {
        guard try FileSystem.status("\(path)/\(StoreNames.current)")?.kind == .file else { return false }
        do throws(GranaryError) {
            _ = try readCurrent(in: OpenFolder(path))
        } catch {
            return error.code != .notAStore
        }
        return true
    }

    /// Has `CURRENT` mark everything beside it as left over.
    private static func hide(_ root: OpenFolder) throws(GranaryError) {
        try root.rename(StoreNames.current, to: StoreNames.next)
        try root.synchronize()
    }

    /// Removes what an interrupted creation, or an interrupted destruction, left. `CURRENT.tmp` goes last: it is what
    /// says that the rest may go.
    static func removeUnfinished(in root: OpenFolder) throws(GranaryError) {
        for name in try root.names() where StoreNames.generationNumber(name) != nil {
            try root.removeTree(name)
        }
        try ExternalFiles.removeAll(in: root)
        try root.synchronize()
        try root.removeTree(StoreNames.next)
    }

    /// Makes a generation with the body, and has all of it on the disk, its name included.
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
