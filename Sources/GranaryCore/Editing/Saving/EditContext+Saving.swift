import Logging

// A save works on copies: the pending changes of each context up to the stack are joined into one set of changes, which
// is written in one transaction. The contexts are updated only after the commit. So a failure leaves every context, and
// the store, as they were, and a context may be changed while its save runs.

extension EditContext {
    /// Whether this context itself has unsaved changes.
    public var hasChanges: Bool {
        _ = try? overlay.begin()
        return !overlay.pending.isEmpty
    }

    /// Saves to the store: this context's changes and those of every context above it, in one transaction, with the
    /// durability of the store. A clean context saves the changes of its parents.
    ///
    /// ```swift
    /// let result = try await edit.save()
    /// print(result.inserted, result.updated, result.deleted)
    /// ```
    ///
    /// The caller's actor is free while the save runs. Changes made during that time stay pending. A further save waits
    /// for this one. Afterwards the contexts hold no other changes. After `commitOutcomeUnknown` they still hold the
    /// saved ones; the next save finds out whether that commit was made, and does not conflict with it.
    ///
    /// - Throws: `busy` inside a savepoint of this context or of one above it; `mergeConflict` if the store has changed
    ///   since and ``mergePolicy`` does not settle it; `invalidRecord`, or the record's own error, for a record that is
    ///   not valid as it would be written, with the changes of others; `uniqueness`, `danglingReference`,
    ///   `deniedDeletion`, and what a write throws. Nothing has changed then, in any context or in the store.
    @discardableResult public func save(isolation: isolated (any Actor)? = #isolation) async throws -> SaveResult {
        try await save(as: origin, isolation: isolation)
    }

    /// - Parameter origin: The origin of the commit.
    func save(as origin: ChangeOrigin, isolation: isolated (any Actor)?) async throws -> SaveResult {
        await waitForSaves(isolation: isolation)
        let stack = try stack
        let (saving, merger, generation) = try beginSave(stack)
        defer { saving.end() }
        do {
            // Without changes there is nothing to wait for.
            if saving.pending.isEmpty { stack.noteUnchangedSave(name) }
            let saved: SaveResult = try await saving.pending.isEmpty ? .empty : stack.save(merger, origin, generation)
            return saving.finish(saved)
        } catch {
            saving.fail(error)
            throw error
        }
    }

    /// Saves in the background, and passes the result to a closure on the main actor.
    @MainActor public func save(then completion: @escaping @MainActor (Result<SaveResult, any Error>) -> Void) {
        Task { @MainActor in
            let result: Result<SaveResult, any Error>
            do { result = .success(try await self.save()) } catch { result = .failure(error) }
            completion(result)
        }
    }

    /// Moves this context's changes to its parent, where they are pending from then on. Without a parent, saves to the
    /// store.
    ///
    /// ```swift
    /// let child = try edit.makeChild(named: "dialogue")
    /// try child.insert(Genre(name: "Jazz"))
    /// try child.saveToParent()  // pending in `edit`
    /// ```
    ///
    /// - Throws: What ``save(isolation:)`` throws, about the parent; `busy` while this context is saved asynchronously,
    ///   and inside a savepoint of it. Nothing has changed then.
    @discardableResult public func saveToParent() throws -> SaveResult {
        guard let parent else { return try blocking.save() }
        try refuseReplacing()
        try beginWritingPending()
        try parent.beginWritingPending()
        try settleUncertainSaves()
        guard hasChanges else { return .empty }
        let isUnchanged = try overlay.areBasesNewest()
        let merger = ChangeMerger(
            pending: overlay.pending, schema: schema, rules: overlay.mergeRules, policy: mergePolicy,
            isUnchanged: isUnchanged, validator: try stack.validator)
        let report = try merger.merge(into: parent.overlay)
        overlay.replace(PendingChanges(schema))
        follow(report.notes.successors)
        return SaveResult(report, transactionNumber: nil)
    }

    /// The changes to be saved of this context and of those above it.
    private func prepareSave() throws -> Saving {
        try settleUncertainSaves()
        var parts: [(EditContext, PendingChanges)] = []
        var conflicts: [MergeConflict] = []
        var notes = MergeNotes()
        var below: PendingChanges?
        var isUnchanged = true
        var next: EditContext? = self
        while let context = next {
            try context.refuseInsideCall()
            try context.beginWritingPending()
            let areBases = try context.overlay.areBasesNewest()
            let own = context.overlay.pending
            var joined = own
            if let below, !below.isEmpty {
                let overlay = Overlay(schema, context.overlay.coordinator, own) { try context.overlay.openBelow() }
                overlay.isFollowing = false
                let merger = ChangeMerger(
                    pending: below, schema: schema, rules: context.overlay.mergeRules, policy: mergePolicy,
                    isUnchanged: isUnchanged)
                let report = try merger.merge(into: overlay)
                conflicts += report.conflicts
                notes = notes + report.notes
                joined = overlay.pending
            }
            isUnchanged = isUnchanged && (own.isEmpty || areBases)
            parts.append((context, own))
            below = joined
            next = context.parent
        }
        return Saving(
            parts, joined: below ?? PendingChanges(schema), conflicts, notes,
            from: isUnchanged || parts.count == 1 ? overlay.baseState?.commit : nil)
    }
}

extension Blocking where Base == EditContext {
    /// Saves to the store: like ``EditContext/save(isolation:)``, on the calling thread.
    ///
    /// - Throws: `busy` also while an asynchronous save of the context, or of one above it, is under way.
    @discardableResult public func save() throws -> SaveResult { try base.saveBlocking() }
}

extension EditContext {
    /// The changes to be written, their merger, and the current generation. If the store is reset while the save waits,
    /// the main context gets the new generation, but the changes to be saved do not.
    private func beginSave(_ stack: Stack) throws -> (saving: Saving, merger: ChangeMerger, generation: Int) {
        let generation = try beginWritingPending()
        let saving = try prepareSave()
        let merger = ChangeMerger(
            pending: saving.pending, schema: schema, rules: overlay.mergeRules, policy: mergePolicy,
            baseNumber: saving.baseNumber, validator: stack.validator)
        return (saving, merger, generation)
    }

    fileprivate func saveBlocking() throws -> SaveResult {
        try refuseOverlappingSave()
        let stack = try stack
        let (saving, merger, generation) = try beginSave(stack)
        defer { saving.end() }
        do {
            if saving.pending.isEmpty { stack.noteUnchangedSave(name) }
            let saved: SaveResult = try saving.pending.isEmpty ? .empty : stack.save(merger, origin, generation)
            return saving.finish(saved)
        } catch {
            saving.fail(error)
            throw error
        }
    }
}

extension Stack {
    func save(
        _ merger: ChangeMerger, _ origin: ChangeOrigin, _ generation: Int
    ) throws -> SaveResult {
        let merger = merger.raisingVersions
        let (report, commit) = try watchedWrite(from: origin) {
            // Inside the write, which a reset waits for.
            try self.requireGeneration(generation)
            return try self.merged(merger, into: $0)
        }
        return saved(report, commit.number, origin)
    }

    func save(
        _ merger: ChangeMerger, _ origin: ChangeOrigin, _ generation: Int
    ) async throws -> SaveResult {
        let merger = merger.raisingVersions
        let (report, commit) = try await watchedWrite(from: origin) {
            // Inside the write, which a reset waits for.
            try self.requireGeneration(generation)
            return try self.merged(merger, into: $0)
        }
        return saved(report, commit.number, origin)
    }

    private func merged(_ merger: ChangeMerger, into transaction: Transaction) throws -> ChangeMerger.Report {
        let report = try merger.merge(into: transaction.writer)
        transaction.noteWritten(report.inserted + report.updated + report.deleted)
        return report
    }

    private func saved(_ report: ChangeMerger.Report, _ number: UInt64?, _ origin: ChangeOrigin) -> SaveResult {
        if !report.conflicts.isEmpty { instrument?.settled(conflicts: report.conflicts.count, of: origin.name) }
        if number == nil { noteUnchangedSave(origin.name) }
        return SaveResult(report, transactionNumber: number)
    }

    /// Logs a save that has written nothing.
    func noteUnchangedSave(_ name: String?) {
        logs[.context].debug("a save had nothing to write", metadata: ["context": "\(name ?? "unnamed")"])
    }
}
