// Saves of one context do not overlap: the changes of a second save would still be based on the state before the first,
// and conflict with it. So a save waits for running saves of its context and of those above it.

/// One running save of a context and of those above it.
final class Saving {
    /// The joined changes of all contexts.
    let pending: PendingChanges
    /// The conflicts that were settled when the changes were joined.
    private let conflicts: [MergeConflict]
    /// The notes that were made when the changes were joined.
    private let notes: MergeNotes
    /// The commit that all changes began from; nil if they come from several contexts or several commits.
    let baseNumber: UInt64?
    private let parts: [Part]

    /// One context's part of a save.
    private struct Part {
        let context: EditContext
        let own: PendingChanges
        /// The version of the overlay with exactly these changes.
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

    /// Called after the commit: the contexts keep the changes that were made since.
    ///
    /// - Returns: The result, with the conflicts and notes from joining the changes.
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

    /// Called after a failure. After a failed commit the changes may be in the store all the same.
    func fail(_ error: any Error) {
        guard (error as? GranaryError)?.code == .commitOutcomeUnknown else { return }
        for part in parts where !part.context.droppedInSave.isAll {
            var own = part.own
            for place in part.context.droppedInSave.places { own.put(nil, place.key, of: place.entity) }
            part.context.uncertainSave = UncertainSave(all: pending, own: own)
        }
    }

    /// Called at the end, after success or failure: the next save may begin.
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
    /// The nearest context, from this one up, that is being saved.
    private var savingContext: EditContext? {
        var next: EditContext? = self
        while let context = next, !context.isSaving { next = context.parent }
        return next
    }

    /// - Throws: `busy` while this context or one above it is being saved.
    func refuseOverlappingSave() throws {
        guard savingContext != nil else { return }
        throw GranaryError(
            .busy, "An asynchronous save of this context is under way. Await it, or save asynchronously, which waits.")
    }

    /// - Throws: `busy` while this context is being saved, and inside a call such as a savepoint.
    func refuseReplacing() throws {
        guard !isSaving else {
            throw GranaryError(.busy, "An asynchronous save of this context is under way. Await it first.")
        }
        try refuseInsideCall()
    }

    /// - Throws: `busy` inside a savepoint, or while references are deferred.
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
