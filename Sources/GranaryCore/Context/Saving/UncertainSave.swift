// A save that ends with `commitOutcomeUnknown` leaves its changes pending, and they may be in the store all the same. Saved
// once more they would be in conflict with themselves: both sides changed the same. So the next save or refresh first looks
// whether every record is as that save wrote it. If so it holds, and what is pending goes on from there.
//
// Another process that wrote the very same values in the same moment is taken for it: nothing tells the two apart.

/// What a context had in a save of which it is not known whether it holds.
struct UncertainSave {
    /// All that was saved, of this context and of those below it and above it.
    let all: PendingChanges
    /// What this context had in it.
    var own: PendingChanges

    /// Whether a store holds what was saved.
    func holds(in reader: any StoreReader) throws -> Bool {
        for entity in all.entities {
            for (key, change) in all.changes(of: entity) {
                let stored: StoredRow? = try key.withCell { key in
                    guard let row = try reader.find(key, in: entity) else { return nil }
                    return StoredRow(row)
                }
                guard change.isDone(in: stored) else { return false }
            }
        }
        return true
    }
}

extension PendingChanges.Change {
    /// Whether a record is as this makes it, in what this changes.
    fileprivate func isDone(in row: StoredRow?) -> Bool {
        guard let current, let row else { return current == nil && row == nil }
        guard let base else { return row.isSame(as: current) }
        return current.difference(from: base).positions.allSatisfy { areSame(current[$0], row[$0]) }
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
            let holds = try uncertain.holds(in: reader)
            context.uncertainSave = nil
            if holds { context.overlay.replace(context.overlay.pending.rebased(on: uncertain.own)) }
        }
    }
}
