extension EditContext {
    /// Drops every change since the last save, in this context alone, together with its undo history.
    ///
    /// ```swift
    /// try edit.update(Artist.self, 101) { $0.rating = 5 }
    /// edit.rollback()
    /// print(edit.hasChanges)  // false
    /// ```
    ///
    /// A save that is running still writes what it has begun to write, and these changes stay as it writes them.
    public func rollback() {
        if isSaving { droppedInSave.isAll = true }
        uncertainSave = nil
        drop(overlay.pending, leaving: PendingChanges(schema))
        removeAllUndo()
    }

    /// The same as ``rollback()``, under the name that Core Data has for it. A context of values holds nothing else
    /// that could be reset.
    public func reset() { rollback() }

    /// Drops the change of one record: it again has its state one level up.
    ///
    /// ```swift
    /// try edit.rollback(Artist.self, 101)
    /// ```
    public func rollback<R: Record>(_ type: R.Type, _ key: R.Key) throws {
        let place = try place(type, key)
        rollback(place.key, of: place.entity)
    }

    /// The same without a type, by the position of the entity in the schema.
    public func rollback(_ key: StoredValue, of entity: Int) {
        guard schema.entities.indices.contains(entity) else { return }
        _ = try? overlay.begin()
        if isSaving { droppedInSave.places.insert(RecordChange.Place(entity: entity, key: key)) }
        uncertainSave?.own.put(nil, key, of: entity)
        var dropped = PendingChanges(schema)
        dropped.put(overlay.pending.change(key, of: entity), key, of: entity)
        var rest = overlay.pending
        rest.put(nil, key, of: entity)
        drop(dropped, leaving: rest)
    }

    private func drop(_ dropped: PendingChanges, leaving rest: PendingChanges) {
        // Inside a savepoint the drop may be undone. The layer one level up is open already.
        if overlay.isInCall, (try? overlay.drop(dropped)) != nil { return }
        overlay.replace(rest)
    }

    /// Begins from the newest state: changes made one level up in the meantime are merged into the pending changes, so
    /// that they are no conflict in the next save.
    ///
    /// ```swift
    /// let settled = try edit.refresh(mergePolicy: .contextWins)
    /// ```
    ///
    /// Records that the context has not changed always show the newest state, without a refresh.
    ///
    /// A change that both sides have made alike counts as done, under every policy.
    ///
    /// - Returns: The conflicts that the policy has settled, and those of changes that both sides made alike.
    /// - Throws: `mergeConflict` if a policy does not settle a conflict; `busy` while the context is saved
    ///   asynchronously, and inside a savepoint. Nothing has changed then.
    @discardableResult public func refresh(mergePolicy policy: MergePolicy? = nil) throws -> [MergeConflict] {
        try refuseReplacing()
        try overlay.begin()
        try settleUncertainSaves()
        let pending = overlay.pending
        let places = pending.entities.flatMap { entity in
            pending.changes(of: entity).keys.map { RecordChange.Place(entity: entity, key: $0) }
        }
        return try refresh(places.sorted(), policy ?? mergePolicy)
    }

    /// The same for one record. Returns the record as the context shows it then; nil if it no longer exists.
    @discardableResult public func refresh<R: Record>(
        _ type: R.Type, _ key: R.Key, mergePolicy policy: MergePolicy? = nil
    ) throws -> R? {
        _ = try refresh([try place(type, key)], policy ?? mergePolicy)
        return try find(type, key)
    }

    private func place<R: Record>(_ type: R.Type, _ key: R.Key) throws -> RecordChange.Place {
        RecordChange.Place(
            entity: try entity(of: type), key: try StoredValue(encoding: key))
    }

    private func refresh(_ places: [RecordChange.Place], _ policy: MergePolicy) throws -> [MergeConflict] {
        try refuseReplacing()
        try overlay.begin()
        try settleUncertainSaves()
        var pending = overlay.pending
        var settled: [MergeConflict] = []
        var unsettled: [MergeConflict] = []
        let merger = ChangeMerger(pending: pending, schema: schema, rules: overlay.mergeRules, policy: policy)
        var lists = ChangeMerger.Plan()
        try overlay.withBelow { below in
            // A link that others have made as well is no longer pending.
            let wanted = Set(places)
            for twin in try overlay.twins(over: below) where wanted.contains(twin) {
                pending.put(nil, twin.key, of: twin.entity)
            }
            for place in places {
                guard let change = pending.change(place.key, of: place.entity) else { continue }
                let newest: StoredRow? = try place.key.withCell { key in
                    guard let row = try below.find(key, in: place.entity) else { return nil }
                    return StoredRow(row)
                }
                let merge = ThreeWayMerge(
                    place: place, entity: schema.entities[place.entity], change: change, store: newest,
                    rules: overlay.mergeRules[place.entity]
                ) { try merger.stays($1, of: $0, in: below) }
                let wanted: StoredRow?
                switch try merge.settled(by: policy, takingAlike: true) {
                case .unsettled(let conflict):
                    unsettled.append(conflict)
                    continue
                case .record(let row, let conflict):
                    wanted = row
                    if let conflict { settled.append(conflict) }
                }
                let differences = merge.differences(in: wanted)
                pending.put(
                    PendingChanges.Change(
                        base: newest, current: wanted, differences: differences, assigned: change.assigned), place.key,
                    of: place.entity)
                lists.add(place.entity, change, newest, wanted, differences, place.key)
            }
            if unsettled.isEmpty, !overlay.areBases(in: below) {
                let merger = ListMerger(schema: schema, rules: overlay.mergeRules, reader: below)
                try merger.merge(&lists)
                pending.put(lists, schema)
            }
        }
        if !unsettled.isEmpty { throw GranaryError.unmerged(unsettled) }
        overlay.replace(pending)
        return settled
    }
}
