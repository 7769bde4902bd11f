// Saves of one context may overlap: a second begins while the first is written, and holds what the first holds as well. So
// each save knows those under way beside it. When one is done, what it has saved is no concern of those that began later;
// and those that began earlier held nothing that it did not hold.

/// One save under way: of a context, and of those above it.
final class Saving {
    /// All changes, joined.
    let pending: PendingChanges
    /// What was settled where they were joined.
    let conflicts: [MergeConflict]
    private let parts: [SavingPart]

    init(_ contexts: [(EditContext, PendingChanges)], joined: PendingChanges, _ conflicts: [MergeConflict]) {
        pending = joined
        self.conflicts = conflicts
        parts = contexts.map { SavingPart($0, $1) }
        for part in parts { part.context.saves.append(part) }
    }

    /// It is in the store: the contexts keep what they have changed since.
    func finish() { for part in parts { part.finish() } }

    /// It is over, done or not.
    func end() {
        for part in parts { part.context.saves.removeAll { $0 === part } }
    }
}

/// What one context has in a save.
final class SavingPart {
    let context: EditContext
    /// What of its changes this save has to answer for.
    private var own: PendingChanges
    /// That of the context with just these changes.
    private let version: Int

    init(_ context: EditContext, _ own: PendingChanges) {
        self.context = context
        self.own = own
        version = context.overlay.version
    }

    func finish() {
        let overlay = context.overlay
        overlay.replace(overlay.version == version ? own.emptied : overlay.pending.rebased(on: own))
        var isLater = false
        for other in context.saves {
            if other === self {
                isLater = true
            } else {
                other.own = isLater ? other.own.rebased(on: own) : own.emptied
            }
        }
    }
}
