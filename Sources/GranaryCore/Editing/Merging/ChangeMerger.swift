// Pending changes are a net effect: the order in which they were made is not kept. So they are applied in an order that
// works for every net effect, with references checked at the end. If records are deleted, records that stop referring
// come first, so that they neither deny a deletion nor are deleted by it; then deletions; then changes; then new
// records. Records that block each other, such as two that swap unique values, first get placeholders for these values.

/// Writes pending changes one level up: into a store, or into the context that is the parent.
struct ChangeMerger {
    let pending: PendingChanges
    let schema: Schema
    let policy: MergePolicy
    /// For records of the level above that its saves have given up in the meantime: the keys of the records that stand
    /// for them.
    let successors: [RecordChange.Place: StoredValue]
    /// The commit that all changes began from, if it is known.
    let baseNumber: UInt64?
    /// Whether the target has not changed since the changes began.
    let isUnchanged: Bool
    /// Validates each record that is written; nil where the merge only writes to a parent context.
    let validator: RecordValidator?
    /// Whether changed records get the next version: true if the merge is into a store.
    var raisesVersions = false
    /// The rules of each entity, by position.
    let rules: [MergeRules]

    init(
        pending: PendingChanges, schema: Schema, rules: [MergeRules], policy: MergePolicy,
        successors: [RecordChange.Place: StoredValue] = [:], baseNumber: UInt64? = nil,
        isUnchanged: Bool = false, validator: RecordValidator? = nil
    ) {
        self.pending = pending
        self.schema = schema
        self.rules = rules
        self.policy = policy
        self.successors = successors
        self.baseNumber = baseNumber
        self.isUnchanged = isUnchanged
        self.validator = validator
    }

    /// What was written, and the conflicts that the policy has settled.
    struct Report {
        var inserted = 0
        var updated = 0
        var deleted = 0
        var conflicts: [MergeConflict] = []
        var notes = MergeNotes()
        /// Records that were written in another state than planned, in their written state; nil for records that were
        /// given up.
        var otherwise: [RecordChange.Place: StoredRow?] = [:]
        /// The new versions of changed records.
        var versions: [RecordChange.Place: StoredValue] = [:]
    }

    /// A record to be written.
    struct Write {
        var entity: Int
        var row: StoredRow
        /// The pending change that causes the write.
        var change: PendingChanges.Change
        /// The record one level up; nil for a new one.
        var store: StoredRow?
        /// The attributes that are changed by an addition one level up.
        var added = AttributeSet()
    }

    struct Plan {
        var updated: [Write] = []
        var inserted: [Write] = []
        var deleted: [Int: [StoredValue]] = [:]
        var report = Report()
    }

    /// The reason why a plan cannot be written. Everything is taken back and written again with a changed plan.
    enum Detour: Error {
        /// A change has to be given up after other writes have relied on it.
        case givenUp(MergeConflict)
        /// A cascade will delete records to which the context has made references.
        case cascaded(Set<RecordChange.Place>)
        /// The ends of new links do not exist.
        case danglingLinks([Write])
        /// New records were given up that other records refer to: these must refer to their successors.
        case redirected([MergeConflict])
    }

    /// Whether no commit was made since the changes began.
    func isNewest(_ writer: any StoreWriter) -> Bool {
        isUnchanged || baseNumber != nil && baseNumber == writer.transactionNumber
    }

    /// Merges, all or nothing.
    ///
    /// - Throws: `mergeConflict` with every conflict that the policy does not settle, and what writing throws.
    func merge(into writer: any StoreWriter) throws -> Report {
        var plan = try plan(writer)
        while true {
            try writer.beginSavepoint()
            do {
                let report = try write(plan, to: writer)
                try writer.releaseSavepoint()
                return report
            } catch {
                do {
                    try writer.rollbackSavepoint()
                } catch let failure {
                    throw error is Detour ? failure : error
                }
                guard try change(&plan, after: error, writer) else { throw error }
            }
        }
    }

    private func write(_ plan: Plan, to writer: any StoreWriter) throws -> Report {
        try writer.deferReferences()
        let report = try apply(plan, to: writer)
        do {
            try writer.checkReferences()
        } catch let error as GranaryError where error.code == .danglingReference {
            let dangling = try danglingLinks(plan, in: writer)
            throw dangling.isEmpty ? error : Detour.danglingLinks(dangling)
        }
        try validate(plan, report)
        return report
    }

    /// Changes a plan that failed and was taken back. Returns false if no other plan exists.
    private func change(_ plan: inout Plan, after error: any Error, _ writer: any StoreWriter) throws -> Bool {
        switch error {
        case Detour.cascaded(let places): return try releaseDangling(in: &plan, cascaded: places, writer)
        case Detour.danglingLinks(let links): drop(links, from: &plan)
        case Detour.redirected(let conflicts): redirect(conflicts, in: &plan)
        case Detour.givenUp(let conflict):
            plan.updated.removeAll { place(of: $0) == conflict.place }
            plan.report.conflicts.append(conflict)
        case let error as GranaryError where error.code == .danglingReference:
            return try releaseDangling(in: &plan, writer)
        default: return false
        }
        return true
    }

    private func plan(_ writer: any StoreWriter) throws -> Plan {
        var plan = Plan()
        var unsettled: [MergeConflict] = []
        var rekeyed: [Write] = []
        let stays = { (entity: String, key: StoredValue) throws -> Bool in
            try self.stays(key, of: entity, in: writer)
        }
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
                let rules = rules[entity]
                if rules.linked != nil, change.isNew, let row = change.current, let store,
                    !rules.haveSameEnds(row, store)
                {
                    // Another process has given its key to another link: it gets a new one, after all others. Until
                    // then it has a key that no record has.
                    let unused = StoredValue.integer(.min + Int64(rekeyed.count))
                    let key = Assignment(position: description.keyPosition, value: unused)
                    rekeyed.append(Write(entity: entity, row: row.setting([key]), change: change, store: nil))
                    continue
                }
                let merge = ThreeWayMerge(
                    place: place, entity: description, change: change, store: store, rules: rules, stays: stays)
                let wanted: StoredRow?
                switch try merge.settled(by: policy) {
                case .unsettled(let conflict):
                    unsettled.append(conflict)
                    continue
                case .record(let row, let conflict):
                    wanted = row
                    if let conflict { plan.report.conflicts.append(conflict) }
                }
                switch (store, wanted) {
                case (nil, nil): break
                case (nil, let row?):
                    plan.inserted.append(Write(entity: entity, row: row, change: change, store: nil))
                case (_?, nil): plan.deleted[entity, default: []].append(key)
                case (let store?, let row?):
                    if row.isSame(as: store) { continue }
                    let raised = try self.raised(row, over: store, entity)
                    plan.updated.append(
                        Write(
                            entity: entity, row: raised, change: change, store: store,
                            added: merge.differences(in: row)))
                }
            }
        }
        if !unsettled.isEmpty { throw GranaryError.unmerged(unsettled) }
        plan.inserted += rekeyed
        if !successors.isEmpty {
            try lead(&plan) { place in
                guard let key = successors[place], try stored(place, writer) == nil else { return nil }
                return key
            }
        }
        if !isNewest(writer) {
            try ListMerger(schema: schema, rules: rules, reader: writer).merge(&plan)
            plan.updated.removeAll { write in
                !rules[write.entity].lists.isEmpty && write.store.map { write.row.isSame(as: $0) } ?? false
            }
        }
        if rekeyed.isEmpty { return plan }
        let keyless = Set(rekeyed.map(place(of:)))
        for index in plan.inserted.indices where keyless.contains(place(of: plan.inserted[index])) {
            let key = Assignment(
                position: schema.entities[plan.inserted[index].entity].keyPosition, value: .integer(0))
            plan.inserted[index].row = plan.inserted[index].row.setting([key])
        }
        return plan
    }

    /// Whether the level above has no record with a key from `first` to `last`. New records mostly come after all
    /// existing ones, and then need not be looked up one by one.
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

    /// Whether a record exists one level up and is not about to be deleted.
    func stays(_ key: StoredValue, of name: String, in reader: any StoreReader) throws -> Bool {
        guard let entity = try? schema.position(ofEntity: name) else { return false }
        if let change = pending.change(key, of: entity), change.current == nil { return false }
        return try key.withCell { try reader.find($0, in: entity) != nil }
    }

    func place(of write: Write) -> RecordChange.Place {
        RecordChange.Place(
            entity: write.entity, key: write.row.value(at: schema.entities[write.entity].keyPosition))
    }

    /// The current state of a record one level up.
    func stored(_ place: RecordChange.Place, _ reader: any StoreReader) throws -> StoredRow? {
        try place.key.withCell { key in
            guard let row = try reader.find(key, in: place.entity) else { return nil }
            return StoredRow(row)
        }
    }
}

extension Overlay {
    /// Writes the changes into the writer that they were made over and that has not changed since. A conflict is an
    /// error.
    package func merge(into writer: any StoreWriter) throws {
        let merger = ChangeMerger(
            pending: pending, schema: schema, rules: mergeRules, policy: .error, isUnchanged: true)
        _ = try merger.merge(into: writer)
    }
}
