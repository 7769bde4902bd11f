import GranaryPlatform

/// The place of a store with files, and the handling of its folder: used by providers such as `.sqlite(at:)`.
public struct StorePlacement: Sendable, Hashable {
    private enum Place: Sendable, Hashable {
        case path(String)
        case url(URL)
        case named(String, application: String?)
    }

    private let place: Place
    /// Whether missing folders above the store are made, for this user alone. They are made before the store, and
    /// removed again if the store cannot be made, unless they contain something else by then.
    public var creatingFolders: Bool
    /// Whether the store's folder is excluded from the system's backups, on systems that have a mark for it: Apple's
    /// systems do.
    public var isExcludedFromBackup: Bool
    /// The permissions of the store's folder and its files if the store is created.
    public var permissions: FilePermissions

    private init(_ place: Place, creatingFolders: Bool = false) {
        self.place = place
        self.creatingFolders = creatingFolders
        isExcludedFromBackup = false
        permissions = .owner
    }

    /// A store in the folder at a path.
    public init(path: String) { self.init(.path(path)) }

    /// A store in the folder at a file URL.
    public init(url: URL) { self.init(.url(url)) }

    /// A store in the folder `NAME.granary` in the place where the platform keeps data of applications:
    /// `~/.local/share/APPLICATION` or `$XDG_DATA_HOME/APPLICATION`, on Apple's systems
    /// `Application Support/APPLICATION`. Missing folders above it are made.
    ///
    /// - Parameters:
    ///   - name: The name of the store.
    ///   - application: By default the identifier of the bundle, or the name of the program.
    public init(named name: String, application: String? = nil) {
        self.init(.named(name, application: application), creatingFolders: true)
    }

    /// The same place with the options of a provider. Missing folders above a named store are made in any case.
    package func with(
        creatingFolders: Bool, isExcludedFromBackup: Bool, permissions: FilePermissions
    ) -> StorePlacement {
        var placement = self
        placement.creatingFolders = creatingFolders || self.creatingFolders
        placement.isExcludedFromBackup = isExcludedFromBackup
        placement.permissions = permissions
        return placement
    }

    /// The path of the store's folder.
    ///
    /// - Throws: `invalidPath` for a URL that is not a file URL, for an invalid name, or if the platform does not say
    ///   where data is kept.
    public func path() throws -> String {
        switch place {
        case .path(let path): return path
        case .url(let url):
            guard url.isFileURL else {
                throw GranaryError(
                    .invalidPath,
                    "The URL of the store, of the scheme \(url.scheme ?? "none"), names no file. Give a file URL.")
            }
            // If the name is not UTF-8, its bytes would be replaced and name another folder.
            guard StorePlacement.isUTF8(url.path(percentEncoded: true)) else {
                throw GranaryError(
                    .invalidPath,
                    "The URL of the store, \(url.path(percentEncoded: true)), has a name that is not UTF-8. Rename the folder."
                )
            }
            return url.path
        case .named(let name, let given):
            let application = given ?? FileSystem.applicationName
            try StorePlacement.check(name, "store")
            try StorePlacement.check(application, "application")
            return try "\(FileSystem.dataHome())/\(application)/\(name).granary"
        }
    }

    /// Calls a body with the path of a store, and makes missing folders above it if the store may be created. The names
    /// of new folders are on the disk before the body is called. If the body throws, they are removed, unless they are
    /// in use.
    ///
    /// - Parameters:
    ///   - mayCreate: Whether the body makes the store if it does not exist.
    ///   - access: With `readOnly` no folders are made.
    ///   - body: Opens the store.
    public func opening<T>(mayCreate: Bool, access: StoreAccess, _ body: (_ path: String) throws -> T) throws -> T {
        let path = try path()
        var made: [String] = []
        if creatingFolders, mayCreate, access == .readWrite, let parent = StorePlacement.parent(of: path),
            try FileSystem.status(path) == nil
        {
            made = try FileSystem.makeFolders(parent)
        }
        let opened: T
        do {
            opened = try body(path)
        } catch {
            FileSystem.removeEmptyFolders(made)
            throw error
        }
        if isExcludedFromBackup, access == .readWrite { try FileSystem.excludeFromBackup(path) }
        return opened
    }

    /// Whether the store exists, according to `look`. If missing folders above it may be made, a store without these
    /// folders does not exist; otherwise the error of `look` is thrown.
    public func exists(_ look: (_ path: String) throws -> Bool) throws -> Bool {
        let path = try path()
        if creatingFolders, let parent = StorePlacement.parent(of: path), try FileSystem.status(parent) == nil {
            return false
        }
        return try look(path)
    }

    /// The path before the name; nil if that is the current folder or the root.
    private static func parent(of path: String) -> String? {
        var bytes = Array(path.utf8)
        while bytes.last == 0x2F { bytes.removeLast() }
        guard let slash = bytes.lastIndex(of: 0x2F), slash > 0 else { return nil }
        return String(decoding: bytes[..<slash], as: UTF8.self)
    }

    /// Whether a percent-encoded path stands for bytes in UTF-8.
    private static func isUTF8(_ encoded: String) -> Bool {
        var bytes: [UInt8] = []
        var rest = Array(encoded.utf8)[...]
        while let first = rest.popFirst() {
            guard first == 0x25, rest.count >= 2,
                let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else {
                bytes.append(first)
                continue
            }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self) != nil
    }

    /// A name must be valid for a folder, and visible.
    private static func check(_ name: String, _ what: String) throws {
        let bytes = name.utf8
        guard !bytes.isEmpty, bytes.count <= 200, bytes.first != 0x2E,
            !bytes.contains(where: { $0 == 0x2F || $0 == 0x5C || $0 == 0x3A || $0 < 0x20 || $0 == 0x7F })
        else {
            throw GranaryError(
                .invalidPath,
                "The name of the \(what) is not that of a folder. Use 1 to 200 bytes without /, \\, : and control characters, not beginning with a dot."
            )
        }
    }
}
