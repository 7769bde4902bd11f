#if canImport(Darwin)
    import Foundation
#endif

extension FileSystem {
    /// Where the platform keeps the data of the user's applications, absolute: Application Support on Apple's systems, elsewhere
    /// `$XDG_DATA_HOME`, by default `~/.local/share` (XDG Base Directory Specification 0.8). It may not exist.
    ///
    /// - Parameter environment: The process's own by default.
    package static func dataHome(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(GranaryError) -> String {
        #if canImport(Darwin)
            if let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first {
                return folder.path
            }
        #else
            // The specification has a path that is not absolute ignored.
            if let home = environment["XDG_DATA_HOME"], home.utf8.first == 0x2F { return home }
            if let home = environment["HOME"], home.utf8.first == 0x2F { return "\(home)/.local/share" }
        #endif
        throw GranaryError(
            .invalidPath,
            "The system does not say where the user's data is kept. Set HOME or XDG_DATA_HOME to an absolute path, or give the path of the store."
        )
    }

    /// The name under which this application's data is kept: its bundle's identifier, or the name of its program.
    package static var applicationName: String {
        #if canImport(Darwin)
            if let identifier = Bundle.main.bundleIdentifier { return identifier }
        #endif
        return CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "granary"
    }

    /// Makes a folder, for this user alone, and those above it that do not exist. Their names are on the disk when it returns.
    /// If it throws, what it made is removed.
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
            // A folder is made when the names of those above it are on the disk. So the innermost of those that are there is
            // the only one whose name may not be: the process that made it may have been killed.
            try synchronizeFolder(parent)
        } catch {
            removeEmptyFolders(made)
            throw error
        }
        return made
    }

    /// Removes folders of which each is in the one before, as far as they are empty.
    package static func removeEmptyFolders(_ paths: [String]) {
        for path in paths.reversed() {
            do throws(GranaryError) { try removeEmptyFolder(path) } catch { return }
        }
    }

    /// Has the names in a folder on the disk, where it may be opened.
    package static func synchronizeFolder(_ path: String) throws(GranaryError) {
        do throws(GranaryError) {
            try OpenFolder(path).synchronize()
        } catch {
            // A folder that may be searched but not read cannot be opened to be synced.
            guard error.code == .permissionDenied else { throw error }
        }
    }

    /// Keeps a folder out of the system's backups, where the system has such a mark: Apple's do, others do not.
    package static func excludeFromBackup(_ path: String) throws {
        #if canImport(Darwin)
            var url = URL(fileURLWithPath: path, isDirectory: true)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try url.setResourceValues(values)
        #endif
    }
}
