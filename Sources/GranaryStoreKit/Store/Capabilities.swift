/// What a store can do beyond the requirements for all stores, and its limits: data, so that callers and the
/// conformance suite can check before they try.
public struct Capabilities: Sendable, Hashable {
    public var features: Set<Capability>
    public var limits: Limits

    public init(features: Set<Capability>, limits: Limits = Limits()) {
        self.features = features
        self.limits = limits
    }

    /// Whether the store has the capability, or one that includes it.
    public func has(_ capability: Capability) -> Bool {
        features.contains(capability) || capability == .reopening && features.contains(.persistence)
    }

    /// The limits of a store.
    public struct Limits: Sendable, Hashable {
        /// The longest text, data or JSON, in bytes.
        public var valueSize = 1_000_000_000
        /// The longest text in a key or an index, in bytes.
        public var keySize = 1_000_000_000
        /// The greatest depth of savepoints.
        public var savepointDepth = 1000

        public init() {}

        public init(valueSize: Int, keySize: Int, savepointDepth: Int) {
            self.valueSize = valueSize
            self.keySize = keySize
            self.savepointDepth = savepointDepth
        }

        /// Checks that a further savepoint can begin. A store calls it before it changes anything for the savepoint.
        ///
        /// - Parameter open: The number of open savepoints, one inside the other.
        /// - Throws: `limit` if that number is ``savepointDepth``.
        public func checkSavepoint(insideOf open: Int) throws {
            guard open < savepointDepth else {
                throw GranaryError(
                    .limit, "Savepoints nest at most \(savepointDepth) deep. End one before beginning another.")
            }
        }
    }
}

/// The name of a capability. Other modules may add more.
public struct Capability: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// Records still exist after the process has ended.
    public static let persistence = Capability(rawValue: "persistence")
    /// Records still exist when the store is closed and opened again, as long as a provider of it exists. A store with
    /// ``persistence`` has this capability, too.
    public static let reopening = Capability(rawValue: "reopening")
    /// Several processes may use one store at a time.
    public static let multipleProcesses = Capability(rawValue: "multipleProcesses")
    /// Every row carries a checksum that is checked when it is read.
    public static let rowChecksums = Capability(rawValue: "rowChecksums")
    /// It has files that can be opened read-only.
    public static let readOnlyOpening = Capability(rawValue: "readOnlyOpening")
    /// ``Durability`` can be chosen.
    public static let durabilityLevels = Capability(rawValue: "durabilityLevels")
    /// It runs SQL statements.
    public static let rawSQL = Capability(rawValue: "rawSQL")
    /// It uses the indexes of the schema to answer queries where they help, and its plans show how.
    public static let indexedQueries = Capability(rawValue: "indexedQueries")
    /// It makes schema changes that rewrite no record when it is opened. A store without this refuses all of them.
    public static let migration = Capability(rawValue: "migration")
    /// It can be opened with the stored schema: ``StoreProvider/openStored()``.
    public static let storedSchema = Capability(rawValue: "storedSchema")
    /// It keeps the history of commits.
    public static let history = Capability(rawValue: "history")
    /// It can report the changes of a transaction. Otherwise the changes of a ``ChangeSet`` are unknown.
    public static let changeRecording = Capability(rawValue: "changeRecording")
    /// It commits several writes together, each with a number of its own: its writers are ``GroupWriting``. Otherwise
    /// each write is committed alone.
    public static let groupCommit = Capability(rawValue: "groupCommit")
    /// It can be filled with the contents of another store: it can be the target of copies, seeds and resets.
    public static let filling = Capability(rawValue: "filling")
    /// It keeps large values of external attributes in files. A store without this, such as one in memory, keeps them
    /// in its rows.
    public static let externalData = Capability(rawValue: "externalData")
}

extension GranaryError {
    /// The capability that the store lacks, of an error with the code `unsupported`; nil if the error is about something else.
    ///
    /// ```swift
    /// catch let error as GranaryError where error.capability == .history { … }
    /// ```
    public var capability: Capability? { capabilityName.map { Capability(rawValue: $0) } }

    /// The error of a store that lacks a capability.
    package static func unsupported(_ capability: Capability, _ message: String) -> GranaryError {
        var error = GranaryError(.unsupported, message)
        error.capabilityName = capability.rawValue
        return error
    }
}

/// The failure that a commit survives once it has returned.
public enum Durability: String, Sendable, Hashable, Codable, CaseIterable {
    /// A loss of power.
    case full
    /// The end of the process. After a loss of power the store has an earlier commit, complete.
    case relaxed
    /// No guarantee after the end of the process; for data that can be made again.
    case off
}

/// Makes or opens a store: passed to ``Stack`` as `store:`.
///
/// A provider is a plain value: `.sqlite(at: url)`, `.lmdb(at: url)`, `.inMemory`. Add your own by a static member on
/// `StoreProvider where Self == YourProvider`.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `open` | creates a complete store or none; never replaces anything that it cannot read; may be called again while a store is open |
/// | `open` with contents | a new store has all of them, or does not exist; an existing store is opened as it is |
/// | `exists` | changes nothing, and needs no schema |
/// | `destroy` | the store is complete, or the next `open` creates a new one; other files stay |
/// | `openStored` | creates nothing; the store has the stored schema |
/// | `readingOnly` | opening with it makes and changes nothing |
/// | `moveAside` | the old store is complete at the returned path; the next `open` creates a new one |
/// | `access`, `place` | say how and where `open` opens; look at no file |
///
/// Every call may block, and may be made on any thread that is allowed to block.
public protocol StoreProvider: Sendable {
    /// Opens the store, creating it if it does not exist. Blocks.
    ///
    /// - Parameters:
    ///   - schema: The schema of the caller.
    ///   - migration: What happens if the store was made for another schema.
    /// - Throws: `schemaMismatch`, `notAStore`, `newerFormat`, `invalidPath`, `permissionDenied`, `corrupt`, `busy`,
    ///   `full`.
    func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store
    /// The same, with contents for a store that is created. By default stores cannot be created with contents.
    ///
    /// - Throws: `unsupported`, before anything is created, if the store cannot be filled; the errors of filling it,
    ///   after which nothing of the store is left.
    func open(_ schema: Schema, migration: MigrationPolicy, contents: StoreContents) throws -> any Store
    /// Whether the store exists. If it does, ``open(_:migration:contents:)`` opens it as it is. Changes nothing. By
    /// default nil: unknown.
    func exists() throws -> Bool?
    /// Removes the store with all its data. It must not be open anywhere. A damaged store is removed as well; other
    /// files in its folder stay. By default it throws `unsupported`.
    ///
    /// If it is interrupted, the store is complete, or the next opening creates a new one.
    ///
    /// - Throws: `notAStore` if the store does not exist; `busy` if a stack of any process has it open; `newerFormat`.
    func destroy() throws
    /// Opens an existing store with the stored schema, for code without the program's record types. Creates nothing.
    /// Blocks. By default it throws `unsupported`; a store that implements it has the capability `storedSchema`.
    ///
    /// - Throws: `notAStore` if the store does not exist, and the errors of `open`.
    func openStored() throws -> any Store
    /// The same provider for reading only. Code that examines a store without changing it, such as
    /// ``Stack/plan(_:store:migration:)``, opens it in this way. By default it is this provider itself, for stores
    /// without files.
    var readingOnly: any StoreProvider { get }
    /// Renames the stored data, so that the next opening makes a new store, and returns the new path. By default it
    /// throws `unsupported`.
    ///
    /// - Throws: `busy` if the store is open, `unsupported`.
    func moveAside() throws -> String
    /// Whether the store is opened for writing. `readWrite` by default.
    var access: StoreAccess { get }
    /// Where the store is, for messages and to tell two providers of one store: the path of its folder. Nil by default.
    var place: String? { get }
}

extension StoreProvider {
    public func open(_ schema: Schema, migration: MigrationPolicy, contents: StoreContents) throws -> any Store {
        throw GranaryError.cannotBeFilled
    }
    public func exists() throws -> Bool? { nil }
    public var readingOnly: any StoreProvider { self }
    public var access: StoreAccess { .readWrite }
    public var place: String? { nil }
    public func destroy() throws {
        throw GranaryError(.unsupported, "This kind of store cannot be destroyed. Remove it by its own means.")
    }
    public func moveAside() throws -> String {
        throw GranaryError(
            .unsupported, "This store cannot be moved aside. Choose another migration policy, or another path.")
    }
    public func openStored() throws -> any Store {
        throw GranaryError.unsupported(
            .storedSchema,
            "This kind of store cannot be opened without a schema, which \(Capability.storedSchema) needs. Pass the schema."
        )
    }
}
