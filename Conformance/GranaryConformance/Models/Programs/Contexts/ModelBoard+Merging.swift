import ConformanceKit
package import GranaryCore

extension ModelBoard {
    package struct Conflict: Hashable {
        package var place: Place
        package var kind: MergeConflict.Kind
    }

    package struct Merged {
        package var inserted = 0
        package var updated = 0
        package var deleted = 0
        package var conflicts: [Conflict] = []
        /// For new records that were given up: the keys of the records that have their unique values.
        package var successors: [Place: StoredValue] = [:]

        /// What a merge one level down comes to, together with the merges above it that led to it.
        func followed(by next: Merged) -> Merged {
            var all = next
            all.conflicts = conflicts + next.conflicts
            for (place, key) in successors where all.successors[place] == nil {
                all.successors[place] = next.successors[Place(entity: place.entity, key: key)] ?? key
            }
            return all
        }
    }

    /// What pending changes come to over these rows, as a net effect: all of it at once, and the rules looked at then.
    package mutating func merge(_ pending: [Place: Change], _ policy: ContextProgram.Policy) throws(Breach) -> Merged {
        var merged = Merged()
        var wanted: [(place: Place, row: Row?)] = []
        var additions: [Place: Set<Int>] = [:]
        for (place, change) in pending.sorted(by: { $0.key < $1.key }) {
            let outcome = ModelBoard.outcome(place, change, rows[place], policy) { other in
                rows[other] != nil && !(pending[other] != nil && pending[other]?.current == nil)
            }
            if let kind = outcome.conflict { merged.conflicts.append(Conflict(place: place, kind: kind)) }
            wanted.append((place, outcome.row))
            additions[place] = outcome.added
        }
        if policy == .error && !merged.conflicts.isEmpty { throw Breach(.mergeConflict) }

        let gone = wanted.filter { $0.row == nil && rows[$0.place] != nil }.map(\.place)
        var written = wanted.filter { $0.row != nil && rows[$0.place] != nil && rows[$0.place] != $0.row }
        var added = wanted.filter { $0.row != nil && rows[$0.place] == nil }
        let settled = merged.conflicts
        var cleared: [Conflict] = []
        var givenUp: Set<Place> = []
        while true {
            var codes: Set<GranaryError.Code> = []
            var trial = self
            let updates = written.filter { !givenUp.contains($0.place) }
            let inserts = added.filter { !givenUp.contains($0.place) }
            let released = try Dangling(written: written, added: added).released(
                over: rows, without: gone, taken: takenAlong(with: gone, updates), policy)
            if !released.conflicts.isEmpty {
                (written, added) = (released.written, released.added)
                cleared += released.conflicts
                merged.conflicts = settled + cleared
                givenUp = []
                continue
            }
            for (place, row) in updates { trial.put(row, at: place, added: additions[place] ?? []) }
            let shown = trial.rows
            do throws(Breach) {
                try trial.delete(gone)
                // A record that goes may have hidden another with its key, one level up.
                if gone.contains(where: { trial.isReferredTo($0, by: .deny) }) { codes.insert(.deniedDeletion) }
            } catch {
                codes.formUnion(error.codes)
                for place in gone { trial.put(nil, at: place) }
            }
            for (place, row) in inserts { trial.put(row, at: place) }
            trial.show()

            // Of two that are given the same unique values, the later gives way.
            let order = (updates + inserts).map(\.place).filter { trial.rows[$0] != nil }
            let clashes = order.map { place in
                trial.rows[place].map { trial.clashes(of: $0, at: place, old: rows[place]) } ?? []
            }
            let clash = order.indices.first { number in
                clashes[number].contains { other in
                    guard let later = order[number...].firstIndex(of: other) else { return true }
                    return !clashes[later].contains(order[number])
                }
            }
            if let clash {
                let place = order[clash]
                if policy == .storeWins || policy == .rollBack {
                    givenUp.insert(place)
                    merged.conflicts.append(Conflict(place: place, kind: .uniqueness))
                    // What refers to a new record refers to the one that stays.
                    if rows[place] == nil, let row = trial.rows[place],
                        let holder = trial.holder(of: row, at: place, before: order[clash...])
                    {
                        merged.successors[place] = holder.key
                        written = written.map { wanted in
                            ModelBoard.leading(wanted, besides: rows[wanted.place], from: place, to: holder)
                        }.filter { rows[$0.place] != $0.row }
                        added = added.map { ModelBoard.leading($0, besides: nil, from: place, to: holder) }
                    }
                    continue
                }
                codes.insert(.uniqueness)
            }
            // References that a write has not changed may dangle: they did before, because of what others did.
            for (place, row) in updates + inserts {
                guard let row, let now = trial.rows[place] else { continue }
                let old = rows[place]
                let unchanged = row.indices.map { old?[$0] == row[$0] ? now[$0] : .null }
                if trial.dangles(now, at: place, old: unchanged) { codes.insert(.danglingReference) }
            }
            if codes == [.danglingReference] {
                let dangling = Dangling(written: written, added: added.filter { !givenUp.contains($0.place) })
                let released = try dangling.released(over: rows, without: gone, policy)
                if !released.conflicts.isEmpty {
                    // Everything is done again. What was given up is so again, with its conflict.
                    let again = added.filter { givenUp.contains($0.place) }
                    (written, added) = (released.written, released.added + again)
                    added.sort { $0.place < $1.place }
                    cleared += released.conflicts
                    merged.conflicts = settled + cleared
                    givenUp = []
                    continue
                }
            }
            if !codes.isEmpty { throw Breach(codes) }
            merged.inserted = inserts.count
            // But for those that a delete rule has taken along.
            merged.updated = updates.filter { shown[$0.place] == nil || trial.rows[$0.place] != nil }.count
            merged.deleted = gone.count
            self = trial
            return merged
        }
    }

    /// The records that a cascade takes along with those that go, but for those that first get another reference.
    private func takenAlong(with gone: [Place], _ updates: [(place: Place, row: Row?)]) -> Set<Place> {
        let new = Dictionary(uniqueKeysWithValues: updates.map { ($0.place, $0.row) })
        var doomed = Set(gone)
        var hasGrown = true
        while hasGrown {
            hasGrown = false
            for (place, row) in rows where !doomed.contains(place) {
                let goes = ModelBoard.references(of: place.entity).contains { reference in
                    if let changed = new[place] ?? nil, changed[reference.position] != row[reference.position] {
                        return false
                    }
                    return reference.rule == .cascade
                        && doomed.contains(Place(entity: reference.target, key: row[reference.position]))
                }
                if goes {
                    doomed.insert(place)
                    hasGrown = true
                }
            }
        }
        return doomed.subtracting(gone)
    }

    /// The record that has the values of a unique index of another one: of the first such index.
    private func holder(of row: Row, at place: Place, before later: ArraySlice<Place>) -> Place? {
        let entity = ContextProgram.schema.entities[place.entity]
        for index in entity.indexes where index.isUnique {
            let positions = index.attributes.compactMap { name in entity.attributes.firstIndex { $0.name == name } }
            let values = positions.map { row[$0] }
            if values.contains(.null) { continue }
            let held = rows.first { other, found in
                other.entity == place.entity && !later.contains(other) && positions.map { found[$0] } == values
            }
            if let held { return held.key }
        }
        return nil
    }

    /// A record that refers to another one in place of one that was given up, by the references that are not as they were.
    static func leading(
        _ wanted: (place: Place, row: Row?), besides old: Row?, from dropped: Place, to holder: Place
    ) -> (place: Place, row: Row?) {
        guard var row = wanted.row else { return wanted }
        for reference in references(of: wanted.place.entity)
        where reference.target == dropped.entity && row[reference.position] == dropped.key
            && old?[reference.position] != dropped.key
        {
            row[reference.position] = holder.key
        }
        return (wanted.place, row)
    }

    /// One record: what it shall be, and the conflict on the way there.
    ///
    /// - Parameter stays: Whether a record is there and is not about to be deleted.
    package static func outcome(
        _ place: Place, _ change: Change, _ theirs: Row?, _ policy: ContextProgram.Policy, _ stays: (Place) -> Bool
    ) -> (row: Row?, conflict: MergeConflict.Kind?, added: Set<Int>) {
        let isTheirs = policy == .storeWins || policy == .rollBack
        guard let base = change.base else {
            guard let mine = change.current else { return (theirs, nil, []) }
            guard let theirs else { return (mine, nil, []) }
            return (isTheirs ? theirs : mine, .insertedTwice, [])
        }
        guard let mine = change.current else {
            guard let theirs, theirs != base else { return (nil, nil, []) }
            return (isTheirs ? theirs : nil, .deletedInContext, [])
        }
        guard let theirs else { return (isTheirs ? nil : mine, .deletedInStore, []) }
        var row = theirs
        var kind: MergeConflict.Kind?
        var sums: [Int: StoredValue] = [:]
        for position in change.added {
            guard let amount = amount(from: base[position], to: mine[position]) else { continue }
            sums[position] = sum(theirs[position], amount)
        }
        for position in base.indices where mine[position] != base[position] {
            if let sum = sums[position] {
                row[position] = sum
                continue
            }
            let isTwice = theirs[position] != base[position]
            if isTwice && theirs[position] != mine[position] {
                kind = .changedTwice
            } else if isTwice && kind == nil {
                // Both lost the reference when what it named was deleted.
                let target = references(of: place.entity).first { $0.position == position }?.target
                let isLost =
                    mine[position] == .null && target.map { !stays(Place(entity: $0, key: base[position])) } == true
                if !isLost { kind = .changedAlike }
            }
            if !(isTwice && isTheirs) { row[position] = mine[position] }
        }
        if kind != nil && policy == .overwrite {
            row = change.written ?? mine
            for (position, sum) in sums { row[position] = sum }
        }
        if kind != nil && policy == .rollBack { row = theirs }
        return (row, kind, Set(sums.filter { row[$0.key] == $0.value }.map(\.key)))
    }
}

/// Records to be written that may refer to what is gone.
private struct Dangling {
    var written: [(place: ModelBoard.Place, row: ModelBoard.Row?)]
    var added: [(place: ModelBoard.Place, row: ModelBoard.Row?)]
    var conflicts: [ModelBoard.Conflict] = []

    /// Nil where that may be; else the store's, or given up.
    ///
    /// - Parameter taken: Records that go with others. With nil every record is looked at; else what refers to these.
    func released(
        over rows: [ModelBoard.Place: ModelBoard.Row], without gone: [ModelBoard.Place],
        taken: Set<ModelBoard.Place>? = nil, _ policy: ContextProgram.Policy
    ) throws(ModelBoard.Breach) -> Dangling {
        var (result, goesOn, isSettled) = (self, true, true)
        while goesOn {
            goesOn = false
            let there = Set(rows.keys).subtracting(gone).union(result.added.map(\.place))
            var next = Dangling(written: [], added: [], conflicts: result.conflicts)
            for (isNew, wanted) in result.written.map({ (false, $0) }) + result.added.map({ (true, $0) }) {
                guard var row = wanted.row else { continue }
                let attributes = ContextProgram.schema.entities[wanted.place.entity].attributes
                let old = rows[wanted.place]
                let dangling = ModelBoard.references(of: wanted.place.entity).filter { reference in
                    let (value, position) = (row[reference.position], reference.position)
                    let target = ModelBoard.Place(entity: reference.target, key: value)
                    if value == .null || old?[position] == value || target == wanted.place { return false }
                    guard let taken else { return !there.contains(target) }
                    let isNew = result.added.contains { $0.place == target }
                    return taken.contains(target) && !isNew && !taken.contains(wanted.place)
                }.map(\.position)
                var isKept = true
                if !dangling.isEmpty {
                    goesOn = true
                    next.conflicts.append(ModelBoard.Conflict(place: wanted.place, kind: .targetDeleted))
                    for position in dangling where attributes[position].isOptional { row[position] = .null }
                    for position in dangling where !attributes[position].isOptional {
                        switch policy {
                        case .error, .contextWins, .overwrite: isSettled = false
                        case .rollBack: isKept = false
                        case .storeWins:
                            if let old { row[position] = old[position] } else { isKept = false }
                        }
                    }
                }
                if !isKept || row == old { continue }
                if isNew { next.added.append((wanted.place, row)) } else { next.written.append((wanted.place, row)) }
            }
            result = next
            if !isSettled { throw ModelBoard.Breach(.mergeConflict) }
        }
        return result
    }
}
