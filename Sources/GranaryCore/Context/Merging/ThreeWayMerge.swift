/// One record's change against what there is one level up: attribute by attribute, by comparison with the base.
struct ThreeWayMerge {
    let place: RecordChange.Place
    let entity: Entity
    let change: PendingChanges.Change
    let store: StoredRow?

    enum Outcome {
        /// The record as it shall be; nil if it shall not be there.
        case merged(StoredRow?)
        case conflict(MergeConflict)
    }

    func outcome() throws -> Outcome {
        switch (change.base, change.current, store) {
        case (nil, let mine?, nil): return .merged(mine)
        case (nil, let mine?, let theirs?):
            let difference = mine.difference(from: theirs)
            return difference.isEmpty ? .merged(theirs) : try conflict(.insertedTwice, difference)
        case (nil, nil, let theirs): return .merged(theirs)
        case (_?, nil, nil): return .merged(nil)
        case (let base?, nil, let theirs?):
            let difference = theirs.difference(from: base)
            return difference.isEmpty ? .merged(nil) : try conflict(.deletedInContext, difference)
        case (let base?, let mine?, nil): return try conflict(.deletedInStore, mine.difference(from: base))
        case (let base?, let mine?, let theirs?):
            if theirs.isSame(as: base) { return .merged(mine) }
            let clashing = try clashing(base, mine, theirs).union(staleVersion(base, mine, theirs))
            return clashing.isEmpty
                ? .merged(try joined(base, mine, theirs, preferringStore: false))
                : try conflict(.changedTwice, clashing)
        }
    }

    private func conflict(_ kind: MergeConflict.Kind, _ attributes: AttributeSet) throws -> Outcome {
        .conflict(
            MergeConflict(
                kind, attributes, place, entity, base: change.base, context: change.current, store: store,
                merged: try joined(preferringStore: false)))
    }

    /// The attributes that both sides gave another, different value.
    private func clashing(_ base: StoredRow, _ mine: StoredRow, _ theirs: StoredRow) throws -> AttributeSet {
        AttributeSet(
            try (0..<base.count).filter { position in
                try !areSame(mine[position], base[position]) && !areSame(theirs[position], base[position])
                    && !areSame(mine[position], theirs[position]) && sum(at: position) == nil
            })
    }

    private func joined(
        _ base: StoredRow, _ mine: StoredRow, _ theirs: StoredRow, preferringStore: Bool
    ) throws -> StoredRow {
        StoredRow(
            try (0..<base.count).map { position in
                if let sum = try sum(at: position) { return sum }
                if areSame(mine[position], base[position]) { return theirs.value(at: position) }
                let isTheirs = !areSame(theirs[position], base[position])
                return isTheirs && preferringStore ? theirs.value(at: position) : mine.value(at: position)
            })
    }

    /// The record with the changes of both sides; nil if one of them has deleted it.
    private func joined(preferringStore: Bool) throws -> StoredRow? {
        guard let mine = change.current, let theirs = store else { return nil }
        guard let base = change.base else { return preferringStore ? theirs : mine }
        return try joined(base, mine, theirs, preferringStore: preferringStore)
    }

    /// The record as a resolution has it, with whatever version.
    func chosen(_ resolution: MergePolicy.Resolution, _ conflict: MergeConflict) throws -> StoredRow? {
        switch resolution {
        case .fail: throw GranaryError.unmerged([conflict])
        case .overwrite: return change.current
        case .rollBack: return store
        case .storeWins, .contextWins:
            let prefersStore = if case .storeWins = resolution { true } else { false }
            return try joined(preferringStore: prefersStore) ?? (prefersStore ? store : change.current)
        case .replace(let record):
            guard record.entity.name == entity.name, record.key == place.key else {
                throw GranaryError(
                    .invalidQuery, "A conflict is resolved by a record of the same entity with the same key.",
                    entity: entity.name, attributes: [entity.key])
            }
            return StoredRow(record.values)
        }
    }
}
