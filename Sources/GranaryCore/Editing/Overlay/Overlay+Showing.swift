extension Overlay {
    /// What is kept of corrections between calls.
    struct Showing {
        /// Whether there are changes that may be shown otherwise than they are: new links, and deletions that others follow.
        var mayDiffer = false
        /// Those for one state one level up; nil where they have to be made.
        var corrections: (state: BelowState, made: ShownCorrections)?
        /// The changes with them, of one version. The number is another one for each.
        var shown: (version: Int, number: Int, changes: PendingChanges)?
        var count = 0
        /// Deleted records that the call under way inserts again: what others have made refer to them is shown already.
        var returning: Set<RecordChange.Place> = []
    }

    /// Runs a part of a merge that inserts records. What a deleted one of them has hidden will be shown again at the end, so the
    /// part sees it from the beginning: unique values are compared with it too.
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

    /// The changes as they are shown over a state one level up, and a number that tells what is shown in one version apart.
    ///
    /// Cost: nothing where no change can be shown otherwise, or nothing was committed since all of them were made. Else a
    /// search for each new link and each deleted record that others may refer to, once for each state one level up.
    func shown(over below: any StoreReader) throws -> (changes: PendingChanges, number: Int) {
        guard let made = try corrections(over: below), !made.isEmpty else { return (pending, 0) }
        if let shown = showing.shown, shown.version == version { return (shown.changes, shown.number) }
        showing.count += 1
        let changes = made.applied(to: pending)
        showing.shown = (version, showing.count, changes)
        return (changes, showing.count)
    }

    /// The corrections for a state one level up; nil where there is nothing to correct.
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

    /// The change of a record as it is shown; nil if it is shown as it is one level up.
    @inline(__always) func shownChange(_ key: StoredValue, of entity: Int) throws -> PendingChanges.Change? {
        guard showing.mayDiffer else { return pending.change(key, of: entity) }
        return try withBelow { try shown(over: $0).changes.change(key, of: entity) }
    }

    /// The links of this context that exist one level up too.
    func twins(over below: any StoreReader) throws -> [RecordChange.Place] {
        try corrections(over: below)?.twins ?? []
    }

    /// Called before a record is set.
    func noteShowing(_ current: StoredRow?, _ key: StoredValue, of entity: Int) {
        if !showing.mayDiffer, mayDiffer(entity, isDeleted: current == nil) { showing.mayDiffer = true }
        guard let made = showing.corrections?.made else { return }
        let change = pending.change(key, of: entity)
        guard current != nil else {
            // A new record that goes again may have stood in the place of one that is not to be shown.
            if change?.isNew == true { showing.corrections = nil }
            return
        }
        // A record that is back undoes what was made of its absence.
        let place = RecordChange.Place(entity: entity, key: key)
        let wasDeleted = change.map { $0.current == nil } ?? false
        if wasDeleted || made.changes[place] != nil || made.awaited.contains(place) { showing.corrections = nil }
    }

    /// Called after what is pending was replaced.
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

    /// Takes back the context's own link between the ends of one that is deleted, which was hidden by that.
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
