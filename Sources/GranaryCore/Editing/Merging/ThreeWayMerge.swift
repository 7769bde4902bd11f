/// Merges one record's change with its state one level up: attribute by attribute, by comparison with the base.
struct ThreeWayMerge {
    let place: RecordChange.Place
    let entity: Entity
    let change: PendingChanges.Change
    let store: StoredRow?
    var rules = MergeRules()
    /// Whether a reference names a record that stays, given the name of its entity and its key. Rarely called.
    let stays: (_ entity: String, _ key: StoredValue) throws -> Bool

    enum Outcome {
        /// The merged record; nil if it is deleted.
        case merged(StoredRow?)
        case conflict(MergeConflict)
    }

    /// The result for the record under a policy.
    enum Settlement {
        /// The merged record, or nil if it is deleted; with the conflict that was settled, if there was one.
        case record(StoredRow?, MergeConflict?)
        /// A conflict that the policy does not settle.
        case unsettled(MergeConflict)
    }

    /// - Parameter takingAlike: Whether equal changes of both sides count as done. They are still reported.
    func settled(by policy: MergePolicy, takingAlike: Bool = false) throws -> Settlement {
        switch try outcome(isAgreeing: policy.isAgreeing) {
        case .merged(let row): return .record(row, nil)
        case .conflict(let conflict):
            if takingAlike && conflict.isAlike { return .record(try resolved(.storeWins, conflict), conflict) }
            let resolution = try policy.resolution(of: conflict)
            if case .fail = resolution { return .unsettled(conflict) }
            return .record(try resolved(resolution, conflict), conflict)
        }
    }

    /// - Parameter isAgreeing: Whether equal changes of both sides are no conflict.
    private func outcome(isAgreeing: Bool) throws -> Outcome {
        if let outcome = listOutcome() { return outcome }
        switch (change.base, change.current, store) {
        case (nil, let mine?, nil): return .merged(mine)
        case (nil, let mine?, let theirs?):
            let difference = mine.difference(from: theirs)
            if !difference.isEmpty { return try conflict(.insertedTwice, difference) }
            let isHarmless = isAgreeing || entity.attributes.allSatisfy { $0.isAgreeing || $0.name == entity.key }
            return isHarmless ? .merged(theirs) : try conflict(.insertedTwice, difference)
        case (nil, nil, let theirs): return .merged(theirs)
        case (_?, nil, nil): return .merged(nil)
        case (let base?, nil, let theirs?):
            let difference = theirs.difference(from: base)
            return difference.isEmpty ? .merged(nil) : try conflict(.deletedInContext, difference)
        case (let base?, let mine?, nil): return try conflict(.deletedInStore, mine.difference(from: base))
        case (let base?, let mine?, let theirs?):
            if theirs.isSame(as: base) { return .merged(mine) }
            var (twice, differs) = (staleVersion(base, mine, theirs), false)
            if !twice.isEmpty { differs = true }
            for position in 0..<base.count
            where !areSame(mine[position], base[position]) && !areSame(theirs[position], base[position]) {
                if rules.isPlace(position) { continue }
                if try sum(at: position) != nil { continue }
                if !areSame(mine[position], theirs[position]) {
                    differs = true
                } else if try isAgreeing || isHarmless(position, base, mine) {
                    continue
                }
                twice.insert(position)
            }
            if twice.isEmpty { return .merged(try joined(base, mine, theirs, preferringStore: false)) }
            return try conflict(differs ? .changedTwice : .changedAlike, twice)
        }
    }

    /// Whether equal changes of an attribute on both sides are harmless: the attribute declares it, or a reference
    /// became nil because its record was deleted. That need not have been meant as a change of this record.
    private func isHarmless(_ position: Int, _ base: StoredRow, _ mine: StoredRow) throws -> Bool {
        let attribute = entity.attributes[position]
        if attribute.isAgreeing { return true }
        guard mine[position].isNull, let reference = attribute.reference else { return false }
        return try !stays(reference.entity, base.value(at: position))
    }

    private func conflict(_ kind: MergeConflict.Kind, _ attributes: AttributeSet) throws -> Outcome {
        .conflict(
            MergeConflict(
                kind, attributes, place, entity, base: change.written?.base ?? change.base,
                context: change.written?.current ?? change.current, store: store,
                merged: try joined(preferringStore: false)))
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

    /// The record of a resolution, with any version.
    func chosen(_ resolution: MergePolicy.Resolution, _ conflict: MergeConflict) throws -> StoredRow? {
        switch resolution {
        case .fail: throw GranaryError.unmerged([conflict])
        case .overwrite:
            // No record exists that could be overwritten: the record is inserted as the context shows it.
            guard store != nil, let written = change.written?.current ?? change.current else { return change.current }
            return try addingDifferences(to: written)
        case .rollBack: return store
        case .storeWins, .contextWins:
            let prefersStore = if case .storeWins = resolution { true } else { false }
            return try joined(preferringStore: prefersStore) ?? (prefersStore ? store : change.current)
        case .replace(let record):
            guard record.entity.name == entity.name, record.key == place.key else {
                throw GranaryError(
                    .invalidQuery,
                    "A conflict can only be resolved by a record of the same entity with the same key. Return such a record.",
                    entity: entity.name, attributes: [entity.key])
            }
            return StoredRow(record.values)
        }
    }
}
