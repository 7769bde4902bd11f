// What is pending is a net effect: the order in which it came about is not kept. So it is applied in an order that works for
// every net effect, with references checked at the end: where something is deleted, records that stop referring come
// first, so that no deletion is denied by one of them, or takes it along; then deletions; then changes; then what is new.
// Records that are in each other's way on the way there, such as two that swap unique values, make a detour: their values
// are parked first.

/// Writes pending changes one level up: into a store, or into the context that is the parent.
struct ChangeMerger {
    let pending: PendingChanges
    let schema: Schema
    let policy: MergePolicy
    /// Whether records that change get the next version: where the merge is into a store.
    var raisesVersions = false

    /// What was written, and which conflicts the policy has settled.
    struct Report {
        var inserted = 0
        var updated = 0
        var deleted = 0
        var conflicts: [MergeConflict] = []
        /// The versions that changed records have been given.
        var versions: [RecordChange.Place: StoredValue] = [:]
    }

    /// A record to be written.
    struct Write {
        var entity: Int
        var row: StoredRow
        /// What it is written for.
        var change: PendingChanges.Change
        /// As it is one level up; nil for a new one.
        var store: StoredRow?
        /// The attributes to which something is added there.
        var added = AttributeSet()
    }

    struct Plan {
        var updated: [Write] = []
        var inserted: [Write] = []
        var deleted: [Int: [StoredValue]] = [:]
        var report = Report()
    }

    /// A change that has to be given up after others went by it: everything is done again without it.
    struct GivenUp: Error {
        var conflict: MergeConflict
    }

    /// Merges, all or nothing.
    ///
    /// - Throws: `mergeConflict` with every conflict that the policy does not settle, and what writing throws.
    func merge(into writer: any StoreWriter) throws -> Report {
        var plan = try plan(writer)
        while true {
            try writer.beginSavepoint()
            do {
                try writer.deferReferences()
                let report = try apply(plan, to: writer)
                try writer.checkReferences()
                try writer.releaseSavepoint()
                return report
            } catch let given as GivenUp {
                try writer.rollbackSavepoint()
                plan.updated.removeAll { place(of: $0) == given.conflict.place }
                plan.report.conflicts.append(given.conflict)
            } catch {
                try? writer.rollbackSavepoint()
                throw error
            }
        }
    }

    private func plan(_ writer: any StoreWriter) throws -> Plan {
        var plan = Plan()
        var unsettled: [MergeConflict] = []
        for entity in pending.entities {
            let description = schema.entities[entity]
            let changes = pending.changes(of: entity).byKey
            let new = (changes.first(where: \.change.isNew), changes.last(where: \.change.isNew))
            let isFree = try isFree(from: new.0?.key, to: new.1?.key, of: entity, in: writer)
            for (key, change) in changes {
                if isFree, change.isNew, let row = change.current {
                    plan.inserted.append(Write(entity: entity, row: row, change: change, store: nil))
                    continue
                }
                let place = RecordChange.Place(entity: entity, key: key)
                let store = try stored(place, writer)
                let merge = ThreeWayMerge(place: place, entity: description, change: change, store: store)
                let wanted: StoredRow?
                switch try merge.outcome() {
                case .merged(let row): wanted = row
                case .conflict(let conflict):
                    let resolution = try policy.resolution(of: conflict)
                    if case .fail = resolution {
                        unsettled.append(conflict)
                        continue
                    }
                    wanted = try merge.resolved(resolution, conflict)
                    plan.report.conflicts.append(conflict)
                }
                switch (store, wanted) {
                case (nil, nil): break
                case (nil, let row?):
                    plan.inserted.append(Write(entity: entity, row: row, change: change, store: nil))
                case (_?, nil): plan.deleted[entity, default: []].append(key)
                case (let store?, let row?):
                    if row.isSame(as: store) { continue }
                    let raised = try self.raised(row, over: store, entity)
                    if raisesVersions, let version = description.versionPosition {
                        plan.report.versions[place] = raised.value(at: version)
                    }
                    plan.updated.append(
                        Write(
                            entity: entity, row: raised, change: change, store: store,
                            added: merge.differences(in: row)))
                }
            }
        }
        if !unsettled.isEmpty { throw GranaryError.unmerged(unsettled) }
        return plan
    }

    /// Whether nothing one level up has one of these keys or one between them: new records mostly come after all others,
    /// and then need not be looked for one by one.
    private func isFree(
        from first: StoredValue?, to last: StoredValue?, of entity: Int, in writer: any StoreWriter
    ) throws -> Bool {
        guard let first, let last else { return false }
        let position = schema.entities[entity].keyPosition
        let between = ResolvedCondition.all([
            .compare(position: position, .greaterOrEqual, first), .compare(position: position, .lessOrEqual, last),
        ])
        let rows = try writer.rows(FetchRequest(entity: entity, condition: between, limit: 1))
        return try rows.firstRow { _ in true } == nil
    }

    func place(of write: Write) -> RecordChange.Place {
        RecordChange.Place(
            entity: write.entity, key: write.row.value(at: schema.entities[write.entity].keyPosition))
    }

    /// A record as the writer has it now.
    func stored(_ place: RecordChange.Place, _ writer: any StoreWriter) throws -> StoredRow? {
        try place.key.withCell { key in
            guard let row = try writer.find(key, in: place.entity) else { return nil }
            return StoredRow(row)
        }
    }
}

extension PendingChanges {
    /// Writes the changes one level up; a conflict is an error.
    package func merge(into writer: any StoreWriter, _ schema: Schema) throws {
        _ = try ChangeMerger(pending: self, schema: schema, policy: .error).merge(into: writer)
    }
}
