import GranaryCore

/// What an import reports, with what it must remember to count each record once.
///
/// All stages of an import report to it. It is used by one thread at a time.
final class Account {
    /// Whether a value that cannot be taken ends the import.
    private let isStrict: Bool
    let failures: ImportFailures
    var report = ImportReport()
    /// The report of what is committed; nil before the first commit.
    private(set) var committedReport: ImportReport?
    /// Records that were counted as unchanged, and were changed later by what they waited for.
    private var changedLate: Set<RecordPlace> = []
    /// The records among them that are forgotten if the current part fails.
    private var countedAgain: [RecordPlace] = []
    /// The keys of the top entity's records that the source has, for mirroring.
    var touched: Set<StoredValue> = []
    /// Whether it is known of each object which record it is, so that what the source does not have can be told.
    var knowsAll = true
    /// The records of the source with their numbers and places in it, where they are asked for.
    var keys: [(number: Int, place: ImportPlace, entity: Int, key: StoredValue)] = []
    /// The value that was reported last, and why it was refused.
    private var lastKept: (error: GranaryError, reason: String?)?
    private var unreadableKeys: [UnreadableKey] = []
    /// How many members of objects on tapes were not taken from where they lie.
    var madeValues = 0

    init(_ importer: Importer) {
        isStrict = importer.isStrict
        failures = importer.failures
    }

    /// Notes that what was imported so far is committed.
    ///
    /// - Parameter count: The number of objects that need not be imported again.
    func didCommit(_ count: Int) {
        report.committed = count
        committedReport = report
    }

    // MARK: Records

    /// Counts a record once in an import: as inserted, as updated if any object has changed it, or as unchanged. Returns whether
    /// it was counted before.
    func count(_ row: StagedRow, _ key: StoredValue, _ plan: EntityPlan) -> Bool {
        var isUpdated = row.isChanged
        switch row.outcome {
        case .inserted:
            report.inserted += 1
            plan.changedKeys.insert(key)
            return row.wasCounted
        case .updated: isUpdated = true
        default: break
        }
        let isChangedLate =
            !changedLate.isEmpty && changedLate.contains(RecordPlace(entity: plan.position, key: key))
        if isChangedLate || plan.changedKeys.contains(key) { return true }
        let wasUnchanged = plan.unchangedKeys.contains(key)
        if isUpdated {
            report.updated += 1
            plan.changedKeys.insert(key)
            if wasUnchanged { report.unchanged -= 1 }
        } else if !wasUnchanged {
            report.unchanged += 1
            plan.unchangedKeys.insert(key)
        }
        return wasUnchanged
    }

    /// Counts a record that what it waited for has changed.
    func countAsUpdated(_ key: StoredValue, _ plan: EntityPlan) {
        let place = RecordPlace(entity: plan.position, key: key)
        guard plan.unchangedKeys.contains(key), !plan.changedKeys.contains(key), changedLate.insert(place).inserted
        else { return }
        countedAgain.append(place)
        report.unchanged -= 1
        report.updated += 1
    }

    // MARK: Failures

    /// Reports a record that is left out. Throws where the importer says so.
    func fail(_ error: GranaryError, at place: ImportPlace) throws {
        if failures == .throw { throw error.at(place) }
        report.add(ImportIssue(kind: .failed, path: error.sourcePath ?? place.path, line: place.line, error: error))
    }

    /// Reports an object that fails, and counts it. Throws where the importer says so.
    func failObject(_ error: GranaryError, at place: ImportPlace) throws {
        report.failed += 1
        try fail(error, at: place)
    }

    /// Runs a part of an import in a savepoint. If it throws, what it has counted is not counted.
    func counted(in context: Context, _ body: () throws -> Void) throws {
        let before = report
        countedAgain = []
        do {
            try context.savepoint(body)
        } catch {
            report = before
            changedLate.subtract(countedAgain)
            throw error
        }
    }

    // MARK: Values

    /// Reports a value that leaves its attribute as it was. In a strict import it throws.
    func keepValue(_ refused: RefusedValue, of entity: Entity, at place: ImportPlace) throws {
        let error = GranaryError(
            .typeMismatch,
            "The value \(refused.reason). The attribute is left as it was: correct the source, or transform it.",
            entity: entity.name, attributes: refused.name.isEmpty ? [] : [refused.name]
        ).with(value: refused.value.textOfError)
        try keepValue(error, refused.key, at: place, reason: refused.reason)
    }

    func keepValue(_ error: GranaryError, _ key: String, at place: ImportPlace, reason: String? = nil) throws {
        if isStrict { throw error.at(place, key) }
        lastKept = (error.at(place, key), reason)
        report.valuesLeftOut += 1
        report.add(ImportIssue(kind: .valueKept, path: place.path(key), line: place.line, error: error))
    }

    func forgetLastKept() { lastKept = nil }

    /// What was said of values before an object.
    struct ValuesMark {
        fileprivate let issues: Int
        fileprivate let valuesLeftOut: Int
        fileprivate let unreadableKeys: Int
    }

    var valuesMark: ValuesMark {
        ValuesMark(
            issues: report.issueCount, valuesLeftOut: report.valuesLeftOut, unreadableKeys: unreadableKeys.count)
    }

    /// Forgets what was said of values since then.
    func forgetValues(since mark: ValuesMark) {
        for number in (mark.issues..<report.issueCount).reversed() { report.removeIssue(number) }
        report.valuesLeftOut = mark.valuesLeftOut
        unreadableKeys.removeLast(unreadableKeys.count - mark.unreadableKeys)
    }

    /// Notes that the value that was reported last was to tell which record an object is.
    func noteUnreadableKey(_ position: Int, _ plan: EntityPlan, _ object: ImportPlace) {
        guard let (error, reason) = lastKept else { return }
        unreadableKeys.append(
            UnreadableKey(
                entity: plan.position, position: position, object: object.path, reason: reason, error: error,
                issue: report.issueCount - 1))
    }

    /// Takes the value out of the report that was to tell which record an object is, as the object fails: the failure says the
    /// same, and more. Nil if all that the object has could be read.
    ///
    /// - Parameter position: The attribute that could not be read; nil for any that tells which record an object is.
    private func takeUnreadableKey(_ plan: EntityPlan, _ place: ImportPlace, at position: Int?) -> UnreadableKey? {
        if unreadableKeys.isEmpty { return nil }
        let path = place.path
        let number = unreadableKeys.lastIndex {
            $0.entity == plan.position && $0.object == path && $0.position == position ?? $0.position
        }
        guard let number else { return nil }
        let key = unreadableKeys.remove(at: number)
        report.valuesLeftOut -= 1
        report.removeIssue(key.issue)
        return key
    }

    /// Forgets what belongs to the objects of a batch.
    func endBatch() { unreadableKeys.removeAll() }

    /// The error for an object whose key could not be read; nil of one that has no key, or a null.
    ///
    /// - Parameter position: The attribute that could not be read; nil for any that tells which record an object is.
    func unreadableKey(_ plan: EntityPlan, _ place: ImportPlace, at position: Int? = nil) -> GranaryError? {
        guard let key = takeUnreadableKey(plan, place, at: position) else { return nil }
        guard let reason = key.reason else { return key.error }
        var error = key.error
        error.message =
            "The value \(reason), so it is not known which \(plan.entity.name) it is. Correct the source, or transform it."
        return error
    }

    /// The error for an object that does not tell which record it is.
    func missingKey(_ plan: EntityPlan, _ place: ImportPlace) -> GranaryError {
        if let unreadable = unreadableKey(plan, place) { return unreadable }
        let identities = plan.identifiesByFirst ? plan.identities.prefix(1) : plan.identities[...]
        let names = identities.map { $0.map { plan.entity.attributes[$0].name }.joined(separator: " and ") }
        return GranaryError(
            .required,
            "The object has no value for \(names.joined(separator: ", nor for ")), so it is not known which \(plan.entity.name) it is. Map the key, or set the importer's missingKey.",
            entity: plan.entity.name, attributes: [plan.entity.key])
    }
}
