// A save that ends with `commitOutcomeUnknown` leaves its changes pending, although they may be in the store. A second
// save would then conflict with the first: both sides have made the same changes. So the next save or refresh first
// compares the store with the changes. If every record is as that save wrote it, the save was committed, and the
// pending changes continue from there.
//
// A sum proves less than a value that was set, because others may have added to it since. So it may differ from the
// saved sum if the save also set values and these are in the store. If the store matches neither outcome, additions
// become ordinary changes, which conflict with the additions of others. Otherwise they could be added twice, or not at
// all.
//
// If another process wrote exactly the same values at that moment, its write is taken for the save: the two cannot be
// distinguished.

/// A context's part of a save with an unknown outcome: it may have been committed or not.
struct UncertainSave {
    enum Outcome {
        case holds, failed, unknown
    }

    /// All saved changes, of this context and of those below it and above it.
    let all: PendingChanges
    /// This context's changes in that save.
    var own: PendingChanges

    /// Decides from a store's contents whether the save was committed.
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

    /// The number of stored values that are as the save wrote them, and of those that are as they were before.
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
    /// Compares this change with the stored record.
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
    /// The same changes. In records in which `others` has additions, additions become ordinary changes.
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
    /// Finds out whether uncertain saves of this context, and of those above it, were committed.
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
