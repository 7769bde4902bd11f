/// What a store can do beyond what every store must, and how much it can hold: data, so that callers and the conformance
/// suite can ask before they try.
public struct Capabilities: Sendable, Hashable {
    public var features: Set<Capability>
    public var limits: Limits

    public init(features: Set<Capability>, limits: Limits = Limits()) {
        self.features = features
        self.limits = limits
    }

    /// Whether the store can do it, or something that includes it.
    public func has(_ capability: Capability) -> Bool {
        features.contains(capability) || capability == .reopening && features.contains(.persistence)
    }

    /// What a store can hold.
    public struct Limits: Sendable, Hashable {
        /// The longest text, data or JSON, in bytes.
        public var valueSize = 1_000_000_000
        /// The longest text in a key or an index, in bytes.
        public var keySize = 1_000_000_000
        /// How deep savepoints nest.
        public var savepointDepth = 1000

        public init() {}

        public init(valueSize: Int, keySize: Int, savepointDepth: Int) {
            self.valueSize = valueSize
            self.keySize = keySize
            self.savepointDepth = savepointDepth
        }

        /// Checks that a further savepoint can begin. A store calls it before it does anything for the savepoint.
        ///
        /// - Parameter open: How many savepoints are open, one inside the other.
        /// - Throws: `limit` if they are ``savepointDepth`` already.
        public func checkSavepoint(insideOf open: Int) throws {
            guard open < savepointDepth else {
                throw GranaryError(
                    .limit, "Savepoints nest at most \(savepointDepth) deep. End one before beginning another.")
            }
        }
    }
}

/// A name for something a store may or may not do. The set is open.
public struct Capability: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// Records are there after the process has ended.
    public static let persistence = Capability(rawValue: "persistence")
    /// Records are there when the store is opened again after it was closed, as long as a provider of it is held. What has
    /// ``persistence`` has this, too.
    public static let reopening = Capability(rawValue: "reopening")
    /// Several processes may use one store at a time.
    public static let multipleProcesses = Capability(rawValue: "multipleProcesses")
    /// Every row carries a checksum that is checked when it is read.
    public static let rowChecksums = Capability(rawValue: "rowChecksums")
    /// It has files that can be opened read-only.
    public static let readOnlyOpening = Capability(rawValue: "readOnlyOpening")
    /// ``Durability`` can be chosen.
    public static let durabilityLevels = Capability(rawValue: "durabilityLevels")
    /// It takes statements in SQL.
    public static let rawSQL = Capability(rawValue: "rawSQL")
    /// It answers queries by the indexes of the schema where they help, and its plans say how.
    public static let indexedQueries = Capability(rawValue: "indexedQueries")
    /// It carries out the changes of a schema that rewrite no record when it is opened. A store without this refuses each.
    public static let migration = Capability(rawValue: "migration")
    /// It can be opened with the schema that is stored: ``StoreProvider/openStored()``.
    public static let storedSchema = Capability(rawValue: "storedSchema")
    /// It keeps the history of commits.
    public static let history = Capability(rawValue: "history")
    /// It can tell what a transaction changes. Where it cannot, the changes of a ``ChangeSet`` are not known.
    public static let changeRecording = Capability(rawValue: "changeRecording")
    /// It can be filled with the contents of another store: copies, seeds and resets end in it.
    public static let filling = Capability(rawValue: "filling")
    /// It keeps large values of external attributes in files. A store without this, as one in memory, keeps them in its rows.
    public static let externalData = Capability(rawValue: "externalData")
}

/// What a commit has survived when it returns.
public enum Durability: String, Sendable, Hashable, Codable, CaseIterable {
    /// Loss of power.
    case full
    /// The end of the process. After loss of power the store is at an earlier commit, whole.
    case relaxed
    /// Nothing is promised beyond the process; for data that can be made again.
    case off
}

/// Makes or opens a store: what is passed to ``Stack`` as `store:`.
///
/// A provider is a plain value: `.sqlite(at: url)`, `.lmdb(at: url)`, `.inMemory`. Add your own by a static member on
/// `StoreProvider where Self == YourProvider`.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `open` | creates a store whole or not at all; never replaces what it cannot read; may be called again while a store is open |
/// | `open` with contents | a new store has all of them, or does not exist; one that exists is opened as it is |
/// | `exists` | changes nothing, and needs no schema |
/// | `destroy` | the store is whole, or the next `open` creates a new one; files that are not the store's stay |
/// | `openStored` | creates nothing; the store has the schema that is stored |
/// | `readingOnly` | opening with it makes and changes nothing |
/// | `moveAside` | the old store is whole at the path that is returned; the next `open` creates a new one |
///
/// Every call may block, and may be made on any thread that may.
public protocol StoreProvider: Sendable {
    /// Opens the store, creating it if it is not there. Blocks.
    ///
    /// - Parameters:
    ///   - schema: The schema of the caller.
    ///   - migration: What happens if the store was made for another schema.
    /// - Throws: `schemaMismatch`, `notAStore`, `newerFormat`, `invalidPath`, `permissionDenied`, `corrupt`, `busy`, `full`.
    func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store
    /// The same, where a store that is created has contents from the beginning. By default no store can be created so.
    ///
    /// - Throws: `unsupported`, before anything is created, if the store cannot be filled; what filling it throws, and nothing
    ///   is left of it then.
    func open(_ schema: Schema, migration: MigrationPolicy, contents: StoreContents) throws -> any Store
    /// Whether there is a store already: then ``open(_:migration:contents:)`` opens it as it is. Changes nothing. By default
    /// it is not known.
    func exists() throws -> Bool?
    /// Removes the store with all its data. It must not be open anywhere. A damaged store is removed as well; files in its
    /// folder that are not the store's stay. By default it throws `unsupported`.
    ///
    /// Interrupted, it leaves the store whole, or a place where the next opening creates a new one.
    ///
    /// - Throws: `notAStore` if there is no store; `busy` if a stack of any process has it open; `newerFormat`.
    func destroy() throws
    /// Opens the store that is there with the schema that is stored, for what does not have the program's record types.
    /// Creates nothing. Blocks. By default it throws `unsupported`; a store that has it has the capability `storedSchema`.
    ///
    /// - Throws: `notAStore` if there is no store, and what `open` throws.
    func openStored() throws -> any Store
    /// The same, for reading only: what looks at a store without changing it opens it so, as ``Stack/plan(_:store:migration:)``
    /// does. By default it is this provider itself, for stores without files.
    var readingOnly: any StoreProvider { get }
    /// Renames what is stored, so that the next opening makes a new store, and returns its new path. By default a store cannot.
    ///
    /// - Throws: `busy` if the store is open, `unsupported`.
    func moveAside() throws -> String
}

extension StoreProvider {
    public func open(_ schema: Schema, migration: MigrationPolicy, contents: StoreContents) throws -> any Store {
        throw GranaryError.cannotBeFilled
    }
    public func exists() throws -> Bool? { nil }
    public var readingOnly: any StoreProvider { self }
    public func destroy() throws {
        throw GranaryError(.unsupported, "This kind of store cannot be destroyed. Remove it by its own means.")
    }
    public func moveAside() throws -> String {
        throw GranaryError(
            .unsupported, "This store cannot be moved aside. Choose another migration policy, or another path.")
    }
    public func openStored() throws -> any Store {
        throw GranaryError(
            .unsupported,
            "This kind of store cannot be opened without a schema, which \(Capability.storedSchema) needs. Pass the schema."
        )
    }
}
