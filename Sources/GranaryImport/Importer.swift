public import GranaryCore

/// The options of an import. Every property has a default; the simplest import needs none:
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
    /// What happens to the other records when a record cannot be imported.
    public var failures = ImportFailures.throw
    /// What happens to an object that has neither the key nor all attributes of a unique index.
    public var missingKey = MissingKeyPolicy.error
    /// The mapping of the imported entity. It overrides the mapping of its type.
    public var mapping = ImportMapping()
    /// The mappings of other entities, by name. They override the mappings of their types.
    public var mappings: [String: ImportMapping] = [:]
    /// The path to the records in the source, such as `data.artists`; nil if the source itself is the records. It is
    /// written as an ``ImportPath`` is.
    public var root: String?
    /// Whether the source is a dictionary of objects, each under its key (`@key`).
    public var isKeyed = false
    /// Whether a record fails because of a key without a meaning, or a value that cannot be converted.
    public var isStrict = false
    /// Whether all changes are undone at the end. The report tells the result that the import would have had.
    public var isDryRun = false
    /// How many records of the source are looked up and written together. No more than that are held in memory.
    public var batchSize = 500
    /// The greatest size of a batch in bytes of the source: a batch ends earlier if its objects exceed this. It has at
    /// least one object.
    public var batchBytes = 4 << 20
    /// The greatest number of bytes of memory for everything that waits for later objects: objects whose records need
    /// them, references, lists, and relationships with hooks. A waiting reference of a record of the source takes 200
    /// to 350 bytes, and more if it is nested or has long names. Beyond this limit the import throws `limit`, even if
    /// failures are reported.
    public var maximumHeldBytes = 64 << 20
    /// When an import into a stack commits.
    public var commits = ImportCommits.once
    /// How many objects at the beginning of the source are skipped. To continue an import that ended early, pass its
    /// ``ImportReport/committed``.
    public var start = 0
    /// The key of the single record to import into; nil, the default, if the objects identify their records. With a
    /// key, the source has one object. The object's own key may be absent or null. An object with another key fails,
    /// and so does a second object. If the record does not exist, the object fails with `recordNotFound`. A text or a
    /// number is converted to the type of the key.
    ///
    /// ```swift
    /// importer.target = .integer(artist.id)
    /// try context.import(values, as: Artist.self, with: importer)
    /// ```
    public var target: StoredValue?
    /// A request for tombstones: records that the source marks as deleted. They are deleted at the end of a successful
    /// import.
    ///
    /// ```swift
    /// importer.tombstones = Artist.where { $0.isGone }.untyped
    /// ```
    public var tombstones: AnyRequest?
    /// Returns the entity of each object, for a source with several entities; nil to skip the object. The schema must
    /// have the name.
    public var choose: (@Sendable (ImportValue, ImportPlace) throws -> String?)?
    /// Called after each batch, and after each commit of ``ImportCommits/every(_:)``, with the report so far. For a
    /// file, ``ImportReport/bytesRead`` and ``ImportReport/totalBytes`` give the share that has been read.
    public var progress: (@Sendable (ImportReport) -> Void)?

    /// Called before a mirroring import deletes records, with the number of records to delete, the number of records
    /// that it mirrors, and the report so far. If it throws, nothing is deleted. Not called in a dry run.
    package var willDelete: (@Sendable (_ count: Int, _ all: Int, _ report: ImportReport) throws -> Void)?

    public init(_ policy: ImportPolicy = .upsert) { self.policy = policy }

    /// The number of objects in one commit.
    var commitSize: Int {
        guard case .every(let count) = commits, !isDryRun else { return .max }
        return max(1, count)
    }
}

/// Which records an import writes.
public enum ImportPolicy: Sendable {
    /// Records that are in the store are updated, other ones are inserted. The default.
    case upsert
    /// Objects whose records are in the store are skipped.
    case insertOnly
    /// Objects whose records are not in the store are skipped.
    case updateOnly
    /// As ``upsert``. If no record has failed, records that the source does not have are deleted at the end: all of
    /// them, or those of a query. Delete rules hold; if they deny a deletion, the import fails.
    /// ``ImportReport/deletedKeys`` lists the deleted records.
    ///
    /// An object that a type's `willImport` skips is still in the source: its record stays. If the object does not
    /// identify its record, nothing is deleted. Objects that ``Importer/choose`` or a ``MissingKeyPolicy`` skips are
    /// not records.
    ///
    /// Cost: the keys of the source and those of the deleted records are in memory until the end, 20 to 40 bytes for an
    /// integer.
    case mirror(within: AnyRequest? = nil)
}

/// What happens when a record of an import fails.
public enum ImportFailures: Sendable, Hashable {
    /// The import throws. Nothing is imported, except what ``Importer/commits`` has committed before. The default.
    case `throw`
    /// The record is left out and reported; the other ones are imported.
    case report
}

/// When an import into a stack commits. An import into a transaction or a context is committed with the transaction or
/// the context.
public enum ImportCommits: Sendable, Hashable {
    /// Once, at its end: all or nothing. The default.
    case once
    /// After each number of objects, and at its end. Other writers get their turns between the commits.
    ///
    /// If the import fails or is cancelled, everything committed stays: ``GranaryError/importReport`` tells how much
    /// that is, and another import goes on from there with ``Importer/start``. A record is committed with everything
    /// nested in its object. The last commit adds references to later objects, and the deletions of a mirroring import.
    /// A dry run does everything in one transaction and commits nothing.
    case every(Int)
}

/// What happens to an object that does not identify its record.
public enum MissingKeyPolicy: Sendable, Hashable {
    /// It fails. The default.
    case error
    /// It is left out.
    case skip
    /// It always becomes a new record, with a key from the store or a new UUID. An import that goes on with
    /// ``Importer/start`` throws `invalidQuery`: it may read objects again, and would make further records from them.
    case create
}
