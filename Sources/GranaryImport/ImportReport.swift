public import GranaryCore
import GranaryFormats

/// What an import did. Nested records count as records of the source do.
public struct ImportReport: Sendable {
    public var inserted = 0
    public var updated = 0
    /// Records that had every value of the source already.
    public var unchanged = 0
    /// Objects of the source whose record an earlier object of the source was for. They were imported, and count nowhere else:
    /// ``inserted``, ``updated`` and ``unchanged`` count each record once. So without nested objects the sum of these, of
    /// ``skipped`` and of ``failed`` is the number of objects. ``repeatedObjects`` says which they are.
    ///
    /// Cost: the keys of the source are in memory until the end. Integers in ascending order take nothing, others 20 to 40
    /// bytes each.
    public internal(set) var repeated = 0
    /// The objects that ``repeated`` counts, in the order in which that was found; the first 1 000.
    public internal(set) var repeatedObjects: [RepeatedObject] = []
    /// Objects left out by a policy or a hook: ``skippedObjects`` says which.
    public var skipped = 0
    /// Objects that could not be imported.
    public var failed = 0
    /// What has waited for later objects, and could not be imported at the end. Its objects were, without it.
    public internal(set) var failedLate = 0
    /// Values that were not taken, because they could not be converted or name a record that does not exist: their attribute or
    /// relationship is as it was. Each is in ``issues``, with its place.
    public internal(set) var valuesLeftOut = 0
    /// Records deleted because the source does not have them, or as tombstones.
    public var deleted = 0
    /// References that are kept in the store because what they name has not come: see ``PendingReference``.
    public var pendingReferences = 0
    /// References that earlier imports have kept, connected by this one.
    public var connectedReferences = 0
    /// How many objects at the beginning of the source are committed, with all that they refer to. Objects that were
    /// left out count. An import that begins after them with ``Importer/start`` misses nothing. If an object waits for
    /// a later one, this object and those after it do not count until the import ends. 0 for an import into a
    /// transaction or a context.
    public var committed = 0
    /// How many bytes of the source have been read, as they are stored: of an archive those that are packed; 0 of a
    /// source in memory. In a report to ``Importer/progress``, those of the objects so far.
    public var bytesRead = 0
    /// How many bytes the source has, as they are stored; nil if it is not a file or a folder.
    public var totalBytes: Int?
    /// What went wrong; the first 1 000 that were found. At the end of the import they are in the order of the source; in a report
    /// to ``Importer/progress``, in the order in which they were found.
    public var issues: [ImportIssue] = []
    /// How many issues there were.
    public var issueCount = 0
    /// The objects that were left out, in the order in which that was found; the first 1 000.
    public var skippedObjects: [SkippedObject] = []
    /// Keys of the source that mean nothing, by entity, each once; the first 1 000 of each.
    public var unknownKeys: [String: [String]] = [:]
    private var knownUnknownKeys: [String: Set<String>] = [:]
    /// What mappings take from paths that no object has, by entity and name. Known at the end of the import.
    public internal(set) var unusedPaths: [UnusedPath] = []
    /// The keys of the records of the imported entity that a mirroring import deleted, and of those that were tombstones; in a dry
    /// run of those that it would have deleted.
    public var deletedKeys: [StoredValue] = []

    /// How many objects it counts.
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

    /// Puts the issues into the order of the source: by file, by line, and by the numbers in their paths. Those that are about the
    /// whole source come last.
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

    /// Takes an issue back, by its number.
    mutating func removeIssue(_ number: Int) {
        issueCount -= 1
        if issues.indices.contains(number) { issues.remove(at: number) }
    }

    /// Whether nothing has failed, so that what the source does not have may be deleted.
    var allowsDeletion: Bool { failed == 0 && failedLate == 0 }

    /// Counts an object whose record an earlier one was for.
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

/// An object of the source whose record an earlier object of the source was for.
public struct RepeatedObject: Sendable, Hashable {
    /// `$[3]`; of a folder `artists.json: $[3]`.
    public let path: String
    /// The line, from 1, where the source has lines.
    public let line: Int?
}

/// An attribute or a relationship that a mapping takes from paths that no object of the source has. A path may be misspelt.
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
    /// Why an object is left out.
    public enum Reason: String, Sendable, Hashable {
        /// The policy is ``ImportPolicy/insertOnly``, and the record is in the store or in the source before.
        case exists
        /// The policy is ``ImportPolicy/updateOnly``, and the record is not in the store.
        case doesNotExist
        /// It is not newer than the record: ``ImportMapping/skipUnless(newer:)``.
        case notNewer
        /// It does not tell which record it is: ``MissingKeyPolicy/skip``.
        case noKey
        /// ``Importable/willImport(_:_:)`` of its type returned nil.
        case hook
        /// ``Importer/choose`` returned nil.
        case notChosen
        /// It is null, which says nothing of any record.
        case isNull
    }

    /// Where in the source: `$[3].songs[0]`; of a folder `artists.json: $[3].songs[0]`.
    public let path: String
    /// The line, from 1, where the source has lines.
    public let line: Int?
    public let reason: Reason
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
        error.details = InterruptedImport(report: report, position: position, line: importLine)
        return error
    }
}

extension StoreProgress {
    /// How far an import has come, for what shows the progress of all long work: ``Importer/progress`` is told it as a report.
    ///
    /// - Parameters:
    ///   - report: The report of the import so far.
    ///   - entity: The entity that is imported.
    ///   - total: The objects of the source, where that is known.
    public init(_ report: ImportReport, entity: String = "", total: Int = 0) {
        self.init(entity: entity, records: report.objects, total: total)
    }
}

/// What an error carries of an import in parts that it has ended.
struct InterruptedImport: DetailsWithPosition {
    let report: ImportReport
    let position: InputPosition?
    let line: Int?
}

/// The records of an import into a context, and what it did.
public struct ImportResult<Output: Sendable>: Sendable {
    /// The records in the order of the source, as they are after the import. Objects that were skipped, failed or deleted are left out;
    /// of two objects that are one record, both are that record.
    public let records: [Output]
    public let report: ImportReport
}
