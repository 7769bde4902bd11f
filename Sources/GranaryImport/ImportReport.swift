public import GranaryCore
import GranaryFormats

/// What an import did. Nested records count as records of the source do.
public struct ImportReport: Sendable {
    public var inserted = 0
    public var updated = 0
    /// Records that had every value of the source already.
    public var unchanged = 0
    /// Objects left out by a policy or a hook.
    public var skipped = 0
    /// Objects that could not be imported.
    public var failed = 0
    /// Records deleted because the source does not have them, or as tombstones.
    public var deleted = 0
    /// References that are kept in the store because what they name has not come: see ``PendingReference``.
    public var pendingReferences = 0
    /// References that earlier imports have kept, connected by this one.
    public var connectedReferences = 0
    /// How many objects at the front of the source are committed, with all that they refer to; those that were left out count.
    /// An import that begins after them with ``Importer/start`` misses nothing. Objects whose references wait for what comes
    /// later do not count, nor do those after them, until the import ends. 0 of an import into a transaction or a context.
    public var committed = 0
    /// What went wrong, in the order in which it was found; the first 1 000. That is the order of the source, but for objects
    /// and references that wait for what comes later.
    public var issues: [ImportIssue] = []
    /// How many issues there were.
    public var issueCount = 0
    /// Keys of the source that mean nothing, by entity, each once; the first 1 000 of each.
    public var unknownKeys: [String: [String]] = [:]
    private var knownUnknownKeys: [String: Set<String>] = [:]
    /// The keys of the records that a mirroring import deleted, or would have in a dry run.
    public var deletedKeys: [StoredValue] = []

    mutating func addUnknown(_ key: String, of entity: String) {
        if let known = knownUnknownKeys[entity], known.count >= 1_000 || known.contains(key) { return }
        knownUnknownKeys[entity, default: []].insert(key)
        unknownKeys[entity, default: []].append(key)
    }

    mutating func add(_ issue: ImportIssue) {
        issueCount += 1
        if issues.count < 1_000 { issues.append(issue) }
    }
}

/// One thing that went wrong in an import.
public struct ImportIssue: Sendable {
    public enum Kind: Sendable, Hashable {
        /// The record was not imported.
        case failed
        /// The rest of one of several inputs was not read, from this place on: how many records it has is not known. It counts
        /// as one that failed.
        case notRead
        /// A value could not be taken; the record was imported, and its attribute or relationship is as it was.
        case valueKept
        /// Records that the source may not have were not deleted, because that could not be told.
        case notDeleted
    }

    public let kind: Kind
    /// Where in the source: `$[3].songs[0].title`; of a folder `artists.json: $[3].songs[0].title`.
    public let path: String
    /// The line, from 1, where the source has lines.
    public let line: Int?
    /// Why, with the entity and the attribute.
    public let error: GranaryError
}

extension ImportIssue: CustomStringConvertible {
    public var description: String { "\(path)\(line.map { " (line \($0))" } ?? ""): \(error)" }
}

extension GranaryError {
    /// What an import with ``ImportCommits/every(_:)`` had committed before it threw this error; nil of other errors.
    public var importReport: ImportReport? { (details as? InterruptedImport)?.report }

    /// The same error with what was committed before it.
    func interrupting(_ report: ImportReport) -> GranaryError {
        var error = self
        error.details = InterruptedImport(report: report, position: position)
        return error
    }
}

private struct InterruptedImport: DetailsWithPosition {
    let report: ImportReport
    let position: InputPosition?
}

/// The records of an import into a context, and what it did.
public struct ImportResult<Output: Sendable>: Sendable {
    /// The records in the order of the source, as they are after the import. Objects that were skipped, failed or deleted are left out;
    /// of two objects that are one record, both are that record.
    public let records: [Output]
    public let report: ImportReport
}
