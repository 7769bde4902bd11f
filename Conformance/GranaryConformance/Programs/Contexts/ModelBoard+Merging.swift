import GranaryCore

extension ModelBoard {
    struct Conflict: Hashable {
        var place: Place
        var kind: MergeConflict.Kind
    }

    struct Merged {
        var inserted = 0
        var updated = 0
        var deleted = 0
        var conflicts: [Conflict] = []
    }

    /// What pending changes come to over these rows, as a net effect: all of it at once, and the rules looked at then.
    mutating func merge(_ pending: [Place: Change], _ policy: ContextProgram.Policy) throws(Breach) -> Merged {
        var merged = Merged()
        var wanted: [(place: Place, row: Row?)] = []
        for (place, change) in pending.sorted(by: { $0.key < $1.key }) {
            let outcome = ModelBoard.outcome(change, rows[place], policy)
            if let kind = outcome.conflict { merged.conflicts.append(Conflict(place: place, kind: kind)) }
            wanted.append((place, outcome.row))
        }
        if policy == .error && !merged.conflicts.isEmpty { throw Breach(.mergeConflict) }

        let gone = wanted.filter { $0.row == nil && rows[$0.place] != nil }.map(\.place)
        let written = wanted.filter { $0.row != nil && rows[$0.place] != nil && rows[$0.place] != $0.row }
        let added = wanted.filter { $0.row != nil && rows[$0.place] == nil }
        var givenUp: Set<Place> = []
        while true {
            var codes: Set<GranaryError.Code> = []
            var trial = self
            let updates = written.filter { !givenUp.contains($0.place) }
            let inserts = added.filter { !givenUp.contains($0.place) }
            for (place, row) in updates { trial.put(row, at: place) }
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
            if !codes.isEmpty { throw Breach(codes) }
            merged.inserted = inserts.count
            // But for those that a delete rule has taken along.
            merged.updated = updates.filter { shown[$0.place] == nil || trial.rows[$0.place] != nil }.count
            merged.deleted = gone.count
            self = trial
            return merged
        }
    }

    /// One record: what it shall be, and the conflict on the way there.
    static func outcome(_ change: Change, _ theirs: Row?, _ policy: ContextProgram.Policy) -> (
        row: Row?, conflict: MergeConflict.Kind?
    ) {
        let isTheirs = policy == .storeWins || policy == .rollBack
        guard let base = change.base else {
            guard let mine = change.current else { return (theirs, nil) }
            guard let theirs, theirs != mine else { return (mine, nil) }
            return (isTheirs ? theirs : mine, .insertedTwice)
        }
        guard let mine = change.current else {
            guard let theirs, theirs != base else { return (nil, nil) }
            return (isTheirs ? theirs : nil, .deletedInContext)
        }
        guard let theirs else { return (isTheirs ? nil : mine, .deletedInStore) }
        var row = theirs
        var clashes = false
        for position in base.indices where mine[position] != base[position] {
            let isClash = theirs[position] != base[position] && theirs[position] != mine[position]
            if isClash { clashes = true }
            if !(isClash && isTheirs) { row[position] = mine[position] }
        }
        guard clashes else { return (row, nil) }
        switch policy {
        case .overwrite: return (mine, .changedTwice)
        case .rollBack: return (theirs, .changedTwice)
        case .error, .storeWins, .contextWins: return (row, .changedTwice)
        }
    }
}
