// Saves of one context do not overlap: what a second one held would still be based on what was there before the first, and
// clash with it. So a save waits for those under way in its context and in those above.

/// One save under way: of a context, and of those above it.
final class Saving {
    /// All changes, joined.
    let pending: PendingChanges
    /// What was settled where they were joined.
    private let conflicts: [MergeConflict]
    /// What else was done there.
    private let notes: MergeNotes
    /// The commit that all changes began from; nil if they are of several contexts, or from several commits.
    let baseNumber: UInt64?
    private let parts: [Part]

    /// What one context has in a save.
    private struct Part {
        let context: EditContext
        let own: PendingChanges
        /// That of the context with just these changes.
        let version: Int
    }

    init(
        _ contexts: [(EditContext, PendingChanges)], joined: PendingChanges, _ conflicts: [MergeConflict],
        _ notes: MergeNotes, from baseNumber: UInt64?
    ) {
        pending = joined
        self.conflicts = conflicts
        self.notes = notes
        self.baseNumber = baseNumber
        parts = contexts.map { Part(context: $0, own: $1, version: $0.overlay.version) }
        for part in parts { part.context.isSaving = true }
    }

    /// It is in the store: the contexts keep what they have changed since.
    ///
    /// - Returns: What was written, with what was settled where the changes were joined.
    func finish(_ saved: SaveResult) -> SaveResult {
        let result = saved.adding(conflicts, notes)
        for part in parts {
            let overlay = part.context.overlay
            guard overlay.version != part.version else {
                overlay.replace(part.own.emptied)
                continue
            }
            var rest = overlay.pending.rebased(on: part.own, besides: part.context.droppedInSave)
            rest.take(result.versions, overlay.schema)
            overlay.replace(rest)
        }
        parts.last?.context.follow(result.notes.successors)
        return result
    }

    /// It failed; a failed commit may be in the store all the same.
    func fail(_ error: any Error) {
        guard (error as? GranaryError)?.code == .commitOutcomeUnknown else { return }
        for part in parts where !part.context.droppedInSave.isAll {
            var own = part.own
            for place in part.context.droppedInSave.places { own.put(nil, place.key, of: place.entity) }
            part.context.uncertainSave = UncertainSave(all: pending, own: own)
        }
    }

    /// It is over, done or not: the next may begin.
    func end() {
        for part in parts {
            part.context.isSaving = false
            part.context.droppedInSave = DroppedChanges()
            let waiting = part.context.waitingSaves
            part.context.waitingSaves = []
            for continuation in waiting { continuation.resume() }
        }
    }
}

extension EditContext {
    /// The nearest context, from this one up, of which a save is under way.
    private var savingContext: EditContext? {
        var next: EditContext? = self
        while let context = next, !context.isSaving { next = context.parent }
        return next
    }

    /// - Throws: `busy` while a save of this context or of one above is under way.
    func refuseOverlappingSave() throws {
        guard savingContext != nil else { return }
        throw GranaryError(
            .busy, "An asynchronous save of this context is under way. Await it, or save asynchronously, which waits.")
    }

    /// - Throws: `busy` while a save of this context is under way, or a call such as a savepoint.
    func refuseReplacing() throws {
        guard !isSaving else {
            throw GranaryError(.busy, "An asynchronous save of this context is under way. Await it first.")
        }
        try refuseInsideCall()
    }

    /// - Throws: `busy` inside a savepoint, or where references are deferred.
    func refuseInsideCall() throws {
        guard overlay.isInCall else { return }
        throw GranaryError(
            .busy, "A savepoint of this context is open, or its references are deferred. Do this outside of it.")
    }

    func waitForSaves(isolation: isolated (any Actor)?) async {
        while let context = savingContext {
            await withCheckedContinuation(isolation: isolation) { context.waitingSaves.append($0) }
        }
    }
}
