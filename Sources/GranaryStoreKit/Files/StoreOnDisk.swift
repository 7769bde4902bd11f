import GranaryPlatform

/// Information about a store on disk that is available without opening it.
package struct StoreOnDisk: Sendable, Hashable {
    /// The absolute path of the store's folder.
    package let path: String
    /// The engine: `sqlite`, `lmdb`.
    package let kind: String
    /// The version of the folder's layout.
    package let format: Int
    /// The number of the live generation.
    package let generation: Int

    /// Examines the folder at a path, without opening or locking the store. The information may be outdated when it
    /// arrives.
    ///
    /// - Throws: `notAStore`, `invalidPath`, `newerFormat`, `corrupt`, `permissionDenied`.
    package init(at path: String) throws {
        let description = try StoreFolder.inspect(path: path)
        self.path = try StorePath(path).path
        (kind, format, generation) = (description.kind, description.format, description.generation)
    }

    /// Whether the folder has left-overs of a store whose making was interrupted. It is not a store, but
    /// ``destroy(at:)`` removes it.
    package static func isUnfinished(at path: String) throws -> Bool { try StoreFolder.isUnfinished(path) }

    /// Removes the store at a path with all its data, even if it is damaged. Other files stay.
    ///
    /// - Throws: `notAStore` if the store does not exist, `newerFormat`, `busy` if it is open.
    package static func destroy(at path: String) throws { try StoreFolder.destroy(path: path) }

    /// The name of a foreign file that stayed in a store's folder after the store was destroyed; nil if there is none,
    /// or if the folder has another store by now.
    package static func fileLeft(at path: String) throws -> String? {
        let names = try StorePath(path).openFolder()?.names() ?? []
        guard !names.contains(StoreNames.current) else { return nil }
        return names.first { !StoreNames.isOurs($0) || $0 == StoreNames.external }
    }

    /// Refuses a place in the folder of a store, at any depth: everything there belongs to the store.
    ///
    /// - Throws: `invalidPath`.
    package static func requireOutside(_ path: String) throws { try StoreFolder.requireOutside(of: StorePath(path)) }

    /// Refuses a file in the folder of a store, at any depth. Errors of the path itself are reported when the file is
    /// opened.
    package static func requireOutside(file path: String) throws {
        guard let place = try? StorePath(path) else { return }
        try StoreFolder.requireOutside(of: place)
    }

    /// The files of external values at this moment: their number and their bytes.
    package func externalFiles() throws -> (count: Int, bytes: Int) {
        let files = ExternalFiles(inStoreAt: path, canWrite: false)
        try files.open()
        defer { files.close() }
        let sizes = try files.contents().values
        return (sizes.count, sizes.reduce(0, +))
    }
}
