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

    /// Makes a folder, for this user alone, and those above it that do not exist.
    package static func makeFolders(_ path: String) throws(GranaryError) {
        if try status(path) != nil { return }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex { try makeFolders(String(path[..<slash])) }
        _ = try makeFolder(path)
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
