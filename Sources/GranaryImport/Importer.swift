public import GranaryCore

/// How an import is done. Every property has a default; the simplest import needs none:
///
/// ```swift
/// try tx.import(artists, as: Artist.self)
///
/// var importer = Importer(.mirror())
/// importer.failures = .report
/// importer.mapping = ImportMapping().map("name", from: "artist_name")
/// let result = try tx.import(artists, as: Artist.self, with: importer)
/// ```
public struct Importer: Sendable {
    /// Which records are written.
    public var policy: ImportPolicy
    /// What becomes of the rest when a record cannot be imported.
    public var failures = ImportFailures.throw
    /// What becomes of an object that has neither the key nor all attributes of a unique index.
    public var missingKey = MissingKeyPolicy.error
    /// For the entity that is imported, over what its type says.
    public var mapping = ImportMapping()
    /// For other entities, by name, over what their types say.
    public var mappings: [String: ImportMapping] = [:]
    /// Where in the source the records are, such as `data.artists`; nil if they are the source itself. It is written as
    /// an ``ImportPath`` is.
    public var root: String?
    /// Whether the source is a dictionary of objects, each under its key (`@key`).
    public var isKeyed = false
    /// Whether a key of the source that means nothing, and a value that cannot be converted, fail their record.
    public var isStrict = false
    /// Whether everything is done but nothing kept. The report says what would have happened.
    public var isDryRun = false
    /// How many records of the source are looked up and written together, and at most held in memory.
    public var batchSize = 500
    /// How many bytes of the source a batch may have: one that has more objects than these ends sooner. It has one in any case.
    public var batchBytes = 4 << 20
    /// How many bytes of memory may be used for what waits for later objects: objects whose records need them,
    /// references, lists, and relationships with hooks. A waiting reference of a record of the source takes 200 to 350
    /// bytes, and more if it is nested or has long names. Beyond this limit the import throws `limit`, also where
    /// failures are reported.
    public var maximumHeldBytes = 64 << 20
    /// When an import into a stack commits.
    public var commits = ImportCommits.once
    /// How many objects at the beginning of the source are skipped. Pass ``ImportReport/committed`` of an import that
    /// ended early: then this import goes on where that one ended.
    public var start = 0
    /// The key of the one record that is imported into; nil, the default, if the objects say which records they are.
    /// With a key, the source has one object. The object's own key may be absent or null. An object with another key
    /// fails, and so does a second object. If the record does not exist, the object fails with `recordNotFound`. A text
    /// or a number is converted to the type of the key.
    ///
    /// ```swift
    /// importer.target = .integer(artist.id)
    /// try context.import(values, as: Artist.self, with: importer)
    /// ```
    public var target: StoredValue?
    /// The records of this request are deleted at the end of an import that went well: what the source marks as deleted.
    ///
    /// ```swift
    /// importer.tombstones = Artist.where { $0.isGone }.untyped
    /// ```
    public var tombstones: AnyRequest?
    /// The entity of each object, for a source that mixes them; nil to skip the object. Names must be in the schema.
    public var choose: (@Sendable (ImportValue, ImportPlace) throws -> String?)?
    /// Called after each batch, and after each commit of ``ImportCommits/every(_:)``, with the report so far.
    /// While a file is read, ``ImportReport/bytesRead`` and ``ImportReport/totalBytes`` tell which share of it that is.
    public var progress: (@Sendable (ImportReport) -> Void)?

    /// Called before a mirroring import deletes, with the number of records to delete, the number of records that it mirrors, and
    /// the report so far. Nothing is deleted if it throws. Not called in a dry run.
    package var willDelete: (@Sendable (_ count: Int, _ all: Int, _ report: ImportReport) throws -> Void)?

    public init(_ policy: ImportPolicy = .upsert) { self.policy = policy }

    /// How many objects one commit has.
    var commitSize: Int {
        guard case .every(let count) = commits, !isDryRun else { return .max }
        return max(1, count)
    }
}

/// Which records an import writes.
public enum ImportPolicy: Sendable {
    /// Objects that are in the store are updated, others are inserted. The default.
    case upsert
    /// Objects that are in the store are skipped.
    case insertOnly
    /// Objects that are not in the store are skipped.
    case updateOnly
    /// As ``upsert``. Records that the source does not have are deleted at the end, if no record has failed: all, or those of
    /// a query. Delete rules hold; a record that they deny fails the import. ``ImportReport/deletedKeys`` lists them.
    ///
    /// An object that a type's `willImport` skips is still in the source: its record stays, and where the object does not tell
    /// which record that is, nothing is deleted. What ``Importer/choose`` or a ``MissingKeyPolicy`` skips is no record.
    ///
    /// Cost: the keys that the source has are in memory until the end, 20 to 40 bytes for an integer, with those that are
    /// deleted.
    case mirror(within: AnyRequest? = nil)
}

/// What becomes of an import of which a record fails.
public enum ImportFailures: Sendable, Hashable {
    /// It throws, and nothing is imported but what ``Importer/commits`` has committed before. The default.
    case `throw`
    /// The record is left out and reported; the others are imported.
    case report
}

/// When an import into a stack commits. An import into a transaction or a context is committed with that.
public enum ImportCommits: Sendable, Hashable {
    /// Once, at its end: all or nothing. The default.
    case once
    /// After each number of objects, and at its end. Other writers get their turns between the commits.
    ///
    /// An import that fails or is cancelled leaves what was committed: ``GranaryError/importReport`` says how
    /// much that is, and another import goes on from there with ``Importer/start``. A record is committed with all that is
    /// nested in its object, references to what comes later are filled in by the last commit, and a mirroring import deletes
    /// in the last one. A dry run commits nothing and does all in one transaction.
    case every(Int)
}

/// What becomes of an object that does not say which record it is.
public enum MissingKeyPolicy: Sendable, Hashable {
    /// It fails. The default.
    case error
    /// It is left out.
    case skip
    /// It is always a new record, with a key from the store or a new UUID. An import that goes on with ``Importer/start`` throws
    /// `invalidQuery`: it may read objects again, and would make other records of them.
    case create
}
