import GranaryCore
import GranaryPlatform

/// An import with the context that it reads from and writes to: what the stages share that work with the store.
struct ImportSession {
    let plans: EntityPlans
    let account: Account
    let kept: KeptReferences
    let replaced: ReplacedRecords
    let connecting: FinalConnections
    let context: Context
    /// Stops the import from another thread.
    let cancellation: CancellationFlag
    /// Whether the context is a transaction of the import alone. Then no reference dangles at the beginning of a batch.
    let ownsTransaction: Bool

    var lookUp: LookUp { LookUp(plans: plans, context: context) }

    /// - Throws: `cancelled` if the task is, or the flag is set.
    func checkCancellation() throws {
        guard !Task.isCancelled, !cancellation.isSet else { throw ImportRun.cancelled() }
    }

    /// Does something for each of several. Where failures are reported, what fails is left out.
    func forEach<T>(_ parts: [T], at place: (T) -> ImportPlace, _ body: ([T]) throws -> Void) throws {
        try checkCancellation()
        guard account.failures == .report else { return try body(parts) }
        do {
            try account.counted(in: context) { try body(parts) }
        } catch let error as GranaryError where !error.endsImport {
            for part in parts {
                do {
                    try account.counted(in: context) { try body([part]) }
                } catch let error as GranaryError where !error.endsImport {
                    let place = place(part)
                    account.report.failedLate += 1
                    account.report.add(ImportIssue(kind: .valueKept, path: place.path, line: place.line, error: error))
                }
            }
        }
    }

    /// Sets one reference of a record.
    ///
    /// - Parameters:
    ///   - position: The attribute.
    ///   - key: The key of the record that has it.
    ///   - value: The key of the record that it refers to from now on.
    ///   - place: Where the source says so.
    func connect(
        _ position: Int, of key: StoredValue, _ plan: EntityPlan, to value: StoredValue, _ place: ImportPlace
    ) throws {
        if plan.deleting.contains(position), let row = try kept.record(key, of: plan.position, in: context) {
            let former = row.value(at: position)
            if former != value { replaced.note(former, at: position, of: plan, place) }
        }
        let request = FetchRequest(
            entity: plan.position, condition: .compare(position: plan.entity.keyPosition, .equal, key))
        _ = try context.updateAll(request, setting: [Assignment(position: position, value: value)])
    }

    /// Counts a record that what it waited for has changed.
    func countAsUpdated(_ entity: Int, _ key: StoredValue) {
        if let plan = plans[entity] { account.countAsUpdated(key, plan) }
    }

    /// Those of several whose records exist. Others may have deleted some since the last commit.
    func present<T>(_ parts: [T], of owner: (T) throws -> RecordPlace) throws -> [T] {
        guard plans.importer.commitSize != .max else { return parts }
        let owners = try parts.map(owner)
        var found: Set<RecordPlace> = []
        for (entity, owners) in Dictionary(grouping: owners, by: \.entity) {
            let position = plans.schema.entities[entity].keyPosition
            for keys in owners.map(\.key).chunks() {
                let cursor = try context.rows(FetchRequest(entity: entity, condition: .isOneOf(keys, at: position)))
                while let row = try cursor.next() {
                    found.insert(RecordPlace(entity: entity, key: StoredValue(row[position])))
                }
            }
        }
        return zip(parts, owners).filter { found.contains($0.1) }.map { $0.0 }
    }
}
