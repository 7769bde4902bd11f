extension Overlay {
    /// The state of corrections that is kept between calls.
    struct Showing {
        /// Whether some changes may be shown in another form: new links, and deletions with cascades.
        var mayDiffer = false
        /// The corrections for one state one level up; nil if they must be made again.
        var corrections: (state: BelowState, made: ShownCorrections)?
        /// The corrected changes of one version. Each correction gets a new number.
        var shown: (version: Int, number: Int, changes: PendingChanges)?
        var count = 0
        /// Deleted records that the running call inserts again: references that others have made to them are shown
        /// already.
        var returning: Set<RecordChange.Place> = []
    }

    /// Runs the part of a merge that inserts records. Records that were hidden because one of these records was deleted
    /// are shown from the beginning, so that unique values are compared with them too.
    func returning<T>(_ places: Set<RecordChange.Place>, _ body: () throws -> T) rethrows -> T {
        guard !places.isEmpty else { return try body() }
        func change(to places: Set<RecordChange.Place>) {
            showing.returning = places
            showing.corrections = nil
            newVersion()
        }
        change(to: places)
        defer { change(to: []) }
        return try body()
    }

    /// The changes as they are shown over a state one level up. The number distinguishes what one version shows at
    /// different times.
    ///
    /// Cost: nothing if no change needs correction, or if nothing was committed since all of the changes were made.
    /// Otherwise a search for each new link and each deleted record that others may refer to, once for each state one
    /// level up.
    func shown(over below: any StoreReader) throws -> (changes: PendingChanges, number: Int) {
        guard let made = try corrections(over: below), !made.isEmpty else { return (pending, 0) }
        if let shown = showing.shown, shown.version == version { return (shown.changes, shown.number) }
        showing.count += 1
        let changes = made.applied(to: pending)
        showing.shown = (version, showing.count, changes)
        return (changes, showing.count)
    }

    /// The corrections for a state one level up; nil if nothing needs correction.
    private func corrections(over below: any StoreReader) throws -> ShownCorrections? {
        guard showing.mayDiffer, !areBases(in: below) else { return nil }
        let state = BelowState(below)
        if let known = showing.corrections, known.state == state { return known.made }
        let made = try ShownCorrections(
            pending, over: below, schema, rules, mergeRules, returning: showing.returning)
        showing.shown = nil
        showing.corrections = (state, made)
        return made
    }

    /// The change of a record as it is shown; nil if the record is shown in its state one level up.
    @inline(__always) func shownChange(_ key: StoredValue, of entity: Int) throws -> PendingChanges.Change? {
        guard showing.mayDiffer else { return pending.change(key, of: entity) }
        return try withBelow { try shown(over: $0).changes.change(key, of: entity) }
    }

    /// The links of this context that also exist one level up.
    func twins(over below: any StoreReader) throws -> [RecordChange.Place] {
        try corrections(over: below)?.twins ?? []
    }

    /// Called before a record is set: drops corrections that the new state makes invalid.
    func noteShowing(_ current: StoredRow?, _ key: StoredValue, of entity: Int) {
        if !showing.mayDiffer, mayDiffer(entity, isDeleted: current == nil) { showing.mayDiffer = true }
        guard let made = showing.corrections?.made else { return }
        let change = pending.change(key, of: entity)
        guard current != nil else {
            // The new record that is deleted may have replaced a hidden link: the corrections must be made again.
            if change?.isNew == true { showing.corrections = nil }
            return
        }
        // Corrections that depend on the absence of the record are invalid.
        let place = RecordChange.Place(entity: entity, key: key)
        let wasDeleted = change.map { $0.current == nil } ?? false
        if wasDeleted || made.changes[place] != nil || made.awaited.contains(place) { showing.corrections = nil }
    }

    /// Called after the pending changes were replaced.
    func resetShowing() {
        showing = Showing(count: showing.count)
        showing.mayDiffer = pending.entities.contains { entity in
            guard mayDiffer(entity, isDeleted: false) || mayDiffer(entity, isDeleted: true) else { return false }
            return pending.changes(of: entity).contains { mayDiffer(entity, isDeleted: $0.change.current == nil) }
        }
    }

    private func mayDiffer(_ entity: Int, isDeleted: Bool) -> Bool {
        isDeleted ? corrected[entity].deleted : corrected[entity].new
    }

    /// Deletes the context's own link with the same ends as a deleted link. The deleted link has hidden it.
    func dropTwins(of row: StoredRow, _ key: StoredValue, of entity: Int) {
        guard mergeRules[entity].linked != nil,
            let number = rules[entity].uniques.firstIndex(where: {
                $0.attributes == [Relationship.source, Relationship.target]
            }), let value = rules[entity].uniques[number].values.value(of: row)
        else { return }
        for other in lookup(number, of: entity).keys(of: value) where other != key {
            guard let twin = pending.change(other, of: entity)?.current else { continue }
            set(nil, other, of: entity, before: twin)
        }
    }
}
