// A save that ends with `commitOutcomeUnknown` leaves its changes pending, and they may be in the store all the same. Saved
// once more they would be in conflict with themselves: both sides changed the same. So the next save or refresh first looks
// what the store has of them. If every record is as that save wrote it, it holds, and what is pending goes on from there.
//
// A sum tells less than a value that was set, as others may have added to it since. So it need not be that of the save if
// something else was saved that is. Where what the store has fits neither outcome, what was added is from then on a change
// like any other, and is in conflict with what others have added: otherwise it could be added twice, or not at all.
//
// Another process that wrote the very same values in the same moment is taken for the save: nothing tells the two apart.

/// What a context had in a save of which it is not known whether it holds.
struct UncertainSave {
    enum Outcome {
        case holds, failed, unknown
    }

    /// All that was saved, of this context and of those below it and above it.
    let all: PendingChanges
    /// What this context had in it.
    var own: PendingChanges

    /// What a store tells of the save.
    func outcome(in reader: any StoreReader) throws -> Outcome {
        var (values, sums) = (Findings(), Findings())
        for entity in all.entities {
            for (key, change) in all.changes(of: entity) {
                let stored: StoredRow? = try key.withCell { key in
                    guard let row = try reader.find(key, in: entity) else { return nil }
                    return StoredRow(row)
                }
                change.compare(with: stored, &values, &sums)
            }
        }
        let isDone = values.count > 0 ? values.done == values.count : sums.done == sums.count
        let hasOld = values.old + sums.old > 0
        if isDone && !hasOld { return .holds }
        return hasOld && values.done + sums.done == 0 ? .failed : .unknown
    }

    /// How many values of a store are as a save wrote them, and how many as they were before.
    struct Findings {
        private(set) var count = 0
        private(set) var done = 0
        private(set) var old = 0

        mutating func note(isDone: Bool, isOld: Bool) {
            count += 1
            if isDone { done += 1 } else if isOld { old += 1 }
        }
    }
}

extension PendingChanges.Change {
    /// Compares what this changes with the record that a store has.
    fileprivate func compare(
        with row: StoredRow?, _ values: inout UncertainSave.Findings, _ sums: inout UncertainSave.Findings
    ) {
        guard let base, let current, let row else {
            return values.note(isDone: isSame(row, current), isOld: isSame(row, base))
        }
        for position in current.difference(from: base).positions {
            let (isDone, isOld) = (areSame(row[position], current[position]), areSame(row[position], base[position]))
            if differences.contains(position) {
                sums.note(isDone: isDone, isOld: isOld)
            } else {
                values.note(isDone: isDone, isOld: isOld)
            }
        }
    }

    private func isSame(_ left: StoredRow?, _ right: StoredRow?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.isSame(as: right)
    }
}

extension PendingChanges {
    /// The same changes, in which what others have in common with them by additions is a change like any other.
    fileprivate func withoutDifferences(of others: PendingChanges) -> PendingChanges {
        var rest = self
        for entity in others.entities {
            for (key, other) in others.changes(of: entity) where !other.differences.isEmpty {
                guard var mine = change(key, of: entity) else { continue }
                mine.differences = AttributeSet()
                rest.put(mine, key, of: entity)
            }
        }
        return rest
    }
}

extension EditContext {
    /// Finds out whether the last save of this context, and of those above it, holds after all.
    func settleUncertainSaves() throws {
        var next: EditContext? = self
        while let context = next {
            next = context.parent
            guard let uncertain = context.uncertainSave else { continue }
            let reader = try stack.beginContextRead(CancellationFlag())
            defer { reader.end() }
            let outcome = try uncertain.outcome(in: reader)
            context.uncertainSave = nil
            let overlay = context.overlay
            switch outcome {
            case .holds: overlay.replace(overlay.pending.rebased(on: uncertain.own))
            case .failed: break
            case .unknown: overlay.replace(overlay.pending.withoutDifferences(of: uncertain.own))
            }
        }
    }
}
