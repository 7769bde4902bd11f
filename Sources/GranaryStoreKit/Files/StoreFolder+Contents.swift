import GranaryPlatform

/// Reads the parts of a store folder, and decides whether they may be touched.
extension StoreFolder {
    /// Reads `CURRENT` and checks that its generation exists.
    ///
    /// This is also called without the lock. Then another process may replace the generation that `CURRENT` named, and
    /// remove it. So a missing generation is damage only if `CURRENT`, read again, still names it.
    ///
    /// - Parameter read: Reads `CURRENT`.
    static func description(
        in root: OpenFolder, read: (OpenFolder) throws(GranaryError) -> StoreDescription = readCurrent
    ) throws(GranaryError) -> StoreDescription {
        var missing = 0
        while true {
            let description = try read(root)
            let name = StoreNames.generation(description.generation)
            if try root.status(name)?.kind == .folder { return description }
            guard description.generation != missing else {
                throw GranaryError(
                    .corrupt,
                    "The folder \(name), where the data of \(root.path) should be, is missing. "
                        + "Restore it from a backup.")
            }
            missing = description.generation
        }
    }

    /// Reads `CURRENT`.
    ///
    /// - Throws: `notAStore` if it is the file of another program, or does not exist any more; `corrupt`,
    ///   `newerFormat`.
    static func readCurrent(in root: OpenFolder) throws(GranaryError) -> StoreDescription {
        let path = root.path(of: StoreNames.current)
        let bytes: [UInt8]
        do throws(GranaryError) {
            bytes = try root.file(StoreNames.current, .reading).readAll(limit: StoreDescription.byteLimit)
        } catch {
            // The file existed when the caller looked for it: another process destroys the store.
            if error.underlying?.code == FileSystem.noEntry { throw GranaryError.noStore(at: root.path) }
            guard error.code == .limit else { throw error }
            throw GranaryError.notGranarys(path)
        }
        return try StoreDescription(bytes: bytes, path: path)
    }

    /// Throws unless a folder without `CURRENT` is empty or has only left-overs of an interrupted creation.
    static func requireLeftOvers(_ names: [String], in root: OpenFolder) throws(GranaryError) {
        if let foreign = names.first(where: { !StoreNames.isOurs($0) }) {
            throw GranaryError.foreignFiles(in: root.path, foreign)
        }
        if names.contains(StoreNames.next) { return }
        if names.contains(StoreNames.external) {
            let inner =
                try root.status(StoreNames.external)?.kind == .folder
                ? try root.folder(StoreNames.external).names() : [StoreNames.external]
            if let foreign = inner.first(where: { !ExternalFiles.isOurs($0) }) {
                throw GranaryError.foreignFiles(in: root.path, "\(StoreNames.external)/\(foreign)")
            }
            if !inner.isEmpty { try requireCurrent(for: StoreNames.external, in: root) }
        }
        for name in names where StoreNames.generationNumber(name) != nil {
            // A process that makes or destroys the store may have removed it since.
            guard let status = try root.status(name) else { continue }
            do throws(GranaryError) {
                if status.kind == .folder, try root.folder(name).names().isEmpty { continue }
            } catch {
                if error.underlying?.code == FileSystem.noEntry { continue }
                throw error
            }
            try requireCurrent(for: name, in: root)
        }
    }

    /// Throws that the file that names the data in a folder is lost, unless it exists after all: while another process
    /// renames `CURRENT`, a list of names can lack both its old and its new name.
    private static func requireCurrent(for name: String, in root: OpenFolder) throws(GranaryError) {
        // Looked for twice, because a failed creation gives it its old name again.
        for file in [StoreNames.current, StoreNames.next, StoreNames.current] {
            if try root.status(file) != nil { return }
        }
        throw GranaryError(
            .corrupt,
            "\(root.path) has data in \(name), but the file CURRENT that names it is missing. "
                + "Restore CURRENT from a backup, or destroy the store.")
    }

    /// Opens `LOCK`, and makes it first if the access is for writing. Nil if it does not exist, or the folder is being
    /// removed.
    static func lockFile(in root: OpenFolder, _ access: StoreAccess) throws(GranaryError) -> OpenFile? {
        do throws(GranaryError) {
            guard try root.status(StoreNames.lock) == nil else {
                return try root.file(StoreNames.lock, access == .readWrite ? .writing : .reading)
            }
            guard access == .readWrite else { return nil }
            return try root.file(StoreNames.lock, .creating)
        } catch {
            let number = error.underlying?.code
            guard number == FileSystem.noEntry || number == FileSystem.nameTaken else { throw error }
            return nil
        }
    }

    /// Whether the acquired lock still belongs to the store: during the wait the folder may have been destroyed, and
    /// another one made at its path.
    static func isStillThere(_ root: OpenFolder, _ lockFile: OpenFile) throws(GranaryError) -> Bool {
        guard let atPath = try FileSystem.status(root.path), let inFolder = try root.status(StoreNames.lock) else {
            return false
        }
        guard try atPath.isSameFile(as: root.status()) else { return false }
        return try inFolder.isSameFile(as: lockFile.status())
    }

    /// Whether the folder contains items that `CURRENT` does not name.
    static func hasLeftOvers(_ root: OpenFolder) throws(GranaryError) -> Bool {
        let names = try root.names()
        return names.contains(StoreNames.next) || names.count(where: { StoreNames.generationNumber($0) != nil }) > 1
    }

    /// Removes `CURRENT.tmp` and all generations that `CURRENT` does not name. Needs the exclusive lock.
    ///
    /// The process that renamed `CURRENT` may have been killed before the name was on the disk. So the name is synced
    /// first: otherwise a loss of power could bring back the old name, of a generation that no longer exists.
    static func removeUnnamedGenerations(in root: OpenFolder) throws(GranaryError) {
        try root.synchronize()
        let live = try description(in: root).generation
        for name in try root.names() where StoreNames.generationNumber(name).map({ $0 != live }) ?? false {
            try root.removeTree(name)
        }
        try root.removeTree(StoreNames.next)
    }
}
