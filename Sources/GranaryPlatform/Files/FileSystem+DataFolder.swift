#if canImport(Darwin)
    import Foundation
#endif

extension FileSystem {
    /// The absolute path at which the platform keeps the data of the user's applications: Application Support on
    /// Apple's systems, elsewhere `$XDG_DATA_HOME`, by default `~/.local/share` (XDG Base Directory Specification 0.8).
    /// The folder may not exist.
    ///
    /// - Parameter environment: By default the environment of the process.
    package static func dataHome(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(GranaryError) -> String {
        #if canImport(Darwin)
            if let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first {
                return folder.path
            }
        #else
            // By the specification a relative path is ignored.
            if let home = environment["XDG_DATA_HOME"], home.utf8.first == 0x2F { return home }
            if let home = environment["HOME"], home.utf8.first == 0x2F { return "\(home)/.local/share" }
        #endif
        throw GranaryError(
            .invalidPath,
            "The system does not say where the user's data is kept. Set HOME or XDG_DATA_HOME to an absolute path, or give the path of the store."
        )
    }

    /// The name for this application's data: the identifier of its bundle, or the name of its program.
    package static var applicationName: String {
        #if canImport(Darwin)
            if let identifier = Bundle.main.bundleIdentifier { return identifier }
        #endif
        return CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "granary"
    }

    /// Makes a folder, and the missing folders above it, for this user alone. On return their names are on the disk. If
    /// it throws, the folders that it made are removed.
    ///
    /// - Returns: The folders that it made, the outermost first.
    package static func makeFolders(_ path: String) throws(GranaryError) -> [String] {
        let slash = path.lastIndex(of: "/").flatMap { $0 == path.startIndex ? nil : $0 }
        let parent = slash.map { String(path[..<$0]) } ?? (path.first == "/" ? "/" : ".")
        var made: [String] = []
        let isThere = try status(path) != nil
        if !isThere, slash != nil { made = try makeFolders(parent) }
        do throws(GranaryError) {
            if !isThere, try makeFolder(path) { made.append(path) }
            // A folder is made only when the names of all folders above it are on the disk. So only the innermost
            // existing folder may have a name that is not on the disk: the process that made it may have been killed.
            try synchronizeFolder(parent)
        } catch {
            removeEmptyFolders(made)
            throw error
        }
        return made
    }

    /// Removes empty folders. Each folder is inside the previous one of the list. Folders that are not empty stay.
    package static func removeEmptyFolders(_ paths: [String]) {
        for path in paths.reversed() {
            do throws(GranaryError) { try removeEmptyFolder(path) } catch { return }
        }
    }

    /// Makes the names in a folder durable on the disk, if the folder can be opened.
    package static func synchronizeFolder(_ path: String) throws(GranaryError) {
        do throws(GranaryError) {
            try OpenFolder(path).synchronize()
        } catch {
            // A folder that may be searched but not read cannot be opened for a sync.
            guard error.code == .permissionDenied else { throw error }
        }
    }

    /// Excludes a folder from the system's backups. Only Apple's systems have such a mark; elsewhere this does nothing.
    package static func excludeFromBackup(_ path: String) throws {
        #if canImport(Darwin)
            var url = URL(fileURLWithPath: path, isDirectory: true)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try url.setResourceValues(values)
        #endif
    }
}
