public import GranaryCore
import GranaryFormats

/// The result of an import. Nested records count like records of the source.
public struct ImportReport: Sendable {
    public var inserted = 0
    public var updated = 0
    /// Records that already had every value of the source.
    public var unchanged = 0
    /// Objects for a record that an earlier object of the source was already for. They were imported, but only count
    /// here: ``inserted``, ``updated`` and ``unchanged`` count each record once. So without nested objects the sum of
    /// these, of ``skipped`` and of ``failed`` is the number of objects. ``repeatedObjects`` lists them.
    ///
    /// Cost: the keys of the source are in memory until the end. Integers in ascending order take almost no memory,
    /// other keys 20 to 40 bytes each.
    public internal(set) var repeated = 0
    /// The objects that ``repeated`` counts, in the order in which they were found; the first 1 000.
    public internal(set) var repeatedObjects: [RepeatedObject] = []
    /// Objects left out by a policy or a hook: ``skippedObjects`` lists them.
    public var skipped = 0
    /// Objects that could not be imported.
    public var failed = 0
    /// Parts of objects, such as references, that waited for later objects and could not be imported at the end. The
    /// objects themselves were imported, without these parts.
    public internal(set) var failedLate = 0
    /// Values that were left out because they could not be converted or name a record that does not exist: their
    /// attribute or relationship is unchanged. Each one is in ``issues``, with its place.
    public internal(set) var valuesLeftOut = 0
    /// Records deleted because the source does not have them, or because they are tombstones.
    public var deleted = 0
    /// References that are kept in the store because their target has not come yet: see ``PendingReference``.
    public var pendingReferences = 0
    /// References that earlier imports have kept, and this one has connected.
    public var connectedReferences = 0
    /// How many objects at the beginning of the source are committed, with everything they refer to. Objects that were
    /// left out count. An import that begins after them with ``Importer/start`` misses nothing. If an object waits for
    /// a later one, this object and those after it do not count until the import ends. 0 for an import into a
    /// transaction or a context.
    public var committed = 0
    /// How many bytes of the source have been read, as they are stored: for an archive the packed bytes; 0 for a source
    /// in memory. In a report to ``Importer/progress``, the bytes of the objects so far.
    public var bytesRead = 0
    /// The size of the source in bytes, as it is stored; nil if it is not a file or a folder.
    public var totalBytes: Int?
    /// The problems of the import; the first 1 000 that were found. At the end of the import they are in the order of
    /// the source; in a report to ``Importer/progress``, in the order in which they were found.
    public var issues: [ImportIssue] = []
    /// How many issues there were.
    public var issueCount = 0
    /// The objects that were left out, in the order in which they were found; the first 1 000.
    public var skippedObjects: [SkippedObject] = []
    /// Keys of the source without a meaning, by entity, each once; the first 1 000 of each entity.
    public var unknownKeys: [String: [String]] = [:]
    private var knownUnknownKeys: [String: Set<String>] = [:]
    /// Attributes and relationships that a mapping reads from paths which no object has, by entity and name. Known at
    /// the end of the import.
    public internal(set) var unusedPaths: [UnusedPath] = []
    /// The keys of the records of the imported entity that a mirroring import or tombstones deleted; in a dry run,
    /// those that would have been deleted.
    public var deletedKeys: [StoredValue] = []

    /// The number of counted objects.
    package var objects: Int { inserted + updated + unchanged + repeated + skipped + failed }

    mutating func addUnknown(_ key: String, of entity: String) {
        if let known = knownUnknownKeys[entity], known.count >= 1_000 || known.contains(key) { return }
        knownUnknownKeys[entity, default: []].insert(key)
        unknownKeys[entity, default: []].append(key)
    }

    mutating func add(_ issue: ImportIssue) {
        issueCount += 1
        if issues.count < 1_000 { issues.append(issue) }
    }

    /// Sorts the issues into the order of the source: by file, by line, and by the numbers in their paths. Issues about
    /// the whole source come last.
    mutating func sortIssues() {
        var files: [Substring: Int] = [:]
        let places = issues.enumerated().map { number, issue -> (key: [Int], issue: ImportIssue) in
            let file = issue.path.firstRange(of: ": $").map { issue.path[..<$0.lowerBound] } ?? ""
            let fileNumber = files[file] ?? files.count
            files[file] = fileNumber
            let numbers = issue.path.split { $0 == "[" || $0 == "]" }.compactMap { Int($0) }
            return ([fileNumber, issue.line ?? .max] + (numbers.isEmpty ? [.max] : numbers) + [number], issue)
        }
        issues = places.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.issue)
    }

    /// Removes an issue by its number.
    mutating func removeIssue(_ number: Int) {
        issueCount -= 1
        if issues.indices.contains(number) { issues.remove(at: number) }
    }

    /// Whether nothing has failed, so that records missing in the source may be deleted.
    var allowsDeletion: Bool { failed == 0 && failedLate == 0 }

    /// Counts an object for a record that an earlier object was already for.
    mutating func repeated(_ place: ImportPlace) {
        repeated += 1
        guard repeatedObjects.count < 1_000 else { return }
        repeatedObjects.append(RepeatedObject(path: place.path, line: place.line))
    }

    /// Counts an object that is left out.
    mutating func skip(_ place: ImportPlace, _ reason: SkippedObject.Reason) {
        skipped += 1
        guard skippedObjects.count < 1_000 else { return }
        skippedObjects.append(SkippedObject(path: place.path, line: place.line, reason: reason))
    }
}

/// An object of the source for a record that an earlier object of the source was already for.
public struct RepeatedObject: Sendable, Hashable {
    /// `$[3]`; in a folder `artists.json: $[3]`.
    public let path: String
    /// The line, from 1, if the source has lines.
    public let line: Int?
}

/// An attribute or a relationship that a mapping reads from paths which no object of the source has. A path may be
/// misspelt.
public struct UnusedPath: Sendable, Hashable, CustomStringConvertible {
    public let entity: String
    /// The attribute or the relationship.
    public let name: String
    public let paths: [String]

    public var description: String {
        "No object has \(paths.map { "`\($0)`" }.joined(separator: " or ")), which the mapping takes for \(entity).\(name). Check the path."
    }
}

/// An object of the source that an import has left out.
public struct SkippedObject: Sendable, Hashable {
    /// The reason why an object is left out.
    public enum Reason: String, Sendable, Hashable {
        /// The policy is ``ImportPolicy/insertOnly``, and the record is in the store or earlier in the source.
        case exists
        /// The policy is ``ImportPolicy/updateOnly``, and the record is not in the store.
        case doesNotExist
        /// The object is not newer than the record: ``ImportMapping/skipUnless(newer:)``.
        case notNewer
        /// The object does not identify its record: ``MissingKeyPolicy/skip``.
        case noKey
        /// The type's ``Importable/willImport(_:_:)`` returned nil.
        case hook
        /// ``Importer/choose`` returned nil.
        case notChosen
        /// The object is null, which describes no record.
        case isNull
    }

    /// The place in the source: `$[3].songs[0]`; in a folder `artists.json: $[3].songs[0]`.
    public let path: String
    /// The line, from 1, if the source has lines.
    public let line: Int?
    public let reason: Reason
}

/// A problem of an import.
public struct ImportIssue: Sendable {
    public enum Kind: Sendable, Hashable {
        /// The record was not imported.
        case failed
        /// The rest of one of several inputs was not read, from this place on. The number of its records is unknown; it
        /// counts as one failed record.
        case notRead
        /// A value could not be imported. The record was imported, and its attribute or relationship is unchanged.
        case valueKept
        /// Records that may be missing in the source were not deleted, because this could not be determined.
        case notDeleted
    }

    public let kind: Kind
    /// The place in the source: `$[3].songs[0].title`; in a folder `artists.json: $[3].songs[0].title`.
    public let path: String
    /// The line, from 1, if the source has lines.
    public let line: Int?
    /// The reason, with the entity and the attribute.
    public let error: GranaryError
}

extension ImportIssue: CustomStringConvertible {
    public var description: String { "\(path)\(line.map { " (line \($0))" } ?? ""): \(error)" }
}

extension GranaryError {
    /// The report of everything that an import with ``ImportCommits/every(_:)`` had committed before it threw this
    /// error; nil for other errors.
    public var importReport: ImportReport? { (details as? InterruptedImport)?.report }

    /// The same error with the report of what was committed before it.
    func interrupting(_ report: ImportReport) -> GranaryError {
        var error = self
        error.details = InterruptedImport(report: report, position: position, line: importLine)
        return error
    }
}

extension StoreProgress {
    /// The progress of an import, for code that shows the progress of all kinds of long work. ``Importer/progress``
    /// gets it as a report.
    ///
    /// - Parameters:
    ///   - report: The report of the import so far.
    ///   - entity: The imported entity.
    ///   - total: The number of objects of the source, if it is known.
    public init(_ report: ImportReport, entity: String = "", total: Int = 0) {
        self.init(entity: entity, records: report.objects, total: total)
    }
}

/// The details of an error that has ended an import in parts.
struct InterruptedImport: DetailsWithPosition {
    let report: ImportReport
    let position: InputPosition?
    let line: Int?
}

/// The records of an import into a context, and its report.
public struct ImportResult<Output: Sendable>: Sendable {
    /// The records in the order of the source, as they are after the import. Objects that were skipped, failed or
    /// deleted are left out. If two objects are for one record, the record occurs twice.
    public let records: [Output]
    /// For each of ``records``, at the same index, the place of its object in the source.
    public let origins: [ImportOrigin]
    public let report: ImportReport
}

/// The place in a source that a record of the result of an import has come from.
public struct ImportOrigin: Sendable, Hashable {
    /// The entity of the record.
    public let entity: String
    /// The path to the records of the source, such as `data.artists`; nil if the source itself is the records.
    public let root: String?
    /// The place in the source: `$.artists[3]`; in a folder `artists.json: $[3]`.
    public let path: String
    /// The line, from 1, if the source has lines.
    public let line: Int?

    init(_ place: ImportPlace, _ entity: String) {
        self.entity = entity
        root = place.root?.description
        path = place.path
        line = place.line
    }
}
