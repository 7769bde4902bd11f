extension EditContext {
    /// A context over this one. It shows this context's changes and its own, and ``saveToParent()`` moves its own to
    /// this one. If it is dropped without that, it leaves no trace: for a dialogue that may be cancelled.
    ///
    /// ```swift
    /// let child = try edit.makeChild(named: "dialogue")
    /// try child.update(Artist.self, 100) { $0.rating = 5 }
    /// try child.saveToParent()
    /// ```
    ///
    /// The child stays on the actor of this context.
    public func makeChild(named name: String? = nil) throws -> EditContext {
        try overlay.begin()
        let child = try EditContext(stackReference, parent: self, named: name)
        child.mergePolicy = mergePolicy
        return child
    }

    /// Works in the background on the state that this context shows now, pending changes included, and merges the
    /// result into this context, where it is pending. It waits for work of
    /// ``Stack/perform(named:mergePolicy:onConflicts:_:)`` that was requested earlier.
    ///
    /// ```swift
    /// try await edit.performInWorker(named: "plays") { worker in
    ///     try worker.update(Song.self, 1) { $0.plays += 1 }
    /// }
    /// try await edit.save()
    /// ```
    ///
    /// With `saving`, the result is saved at once, with the pending changes of this context and of its parents, as
    /// ``save(isolation:)`` does: all or nothing. If the save fails, the result is dropped, and the contexts are as they
    /// were.
    ///
    /// ```swift
    /// try await edit.performInWorker(named: "plays", saving: true) { worker in
    ///     try worker.update(Song.self, 1) { $0.plays += 1 }
    /// }
    /// ```
    ///
    /// Cancelling the task stops the work: the worker's next call throws `cancelled`, and nothing has changed.
    ///
    /// - Parameters:
    ///   - name: The name of the worker's context. A commit has the name and the ``origin`` of this context.
    ///   - saving: Whether the result and all pending changes up to the store are saved.
    ///   - onConflicts: Called with the conflicts that ``mergePolicy`` has settled, if there are any, on the actor of
    ///     this context. They are also logged as notices.
    ///   - isolation: The actor of this context, which the compiler fills in.
    ///   - body: The work. It gets the worker's context.
    /// - Throws: What the closure throws, and then nothing has changed; `mergeConflict` if this context has meanwhile
    ///   changed the same and ``mergePolicy`` does not settle it; with `saving`, what ``save(isolation:)`` throws.
    ///   After `commitOutcomeUnknown` the result is not pending here, but it may be in the store.
    @discardableResult public func performInWorker<T: Sendable>(
        named name: String? = nil, saving: Bool = false, onConflicts: (([MergeConflict]) -> Void)? = nil,
        isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable (EditContext) throws -> T
    ) async throws -> T {
        let stack = try stack
        let levels = try pendingLevels
        let contents = generation.current
        let state = try overlay.stateAsLayer()
        successors.workers += 1
        defer { successors.workers -= 1 }
        let (result, changes, base) = try await stack.cancellableWork { cancellation in
            let worker = try EditContext(over: levels, of: stack, contents, named: name, cancellation)
            defer { worker.reset() }
            let result = try body(worker)
            try cancellation.check()
            return (result, worker.overlay.pending, worker.overlay.baseState?.commit)
        }
        // Work on the old contents must not be merged into new ones.
        try stack.requireGeneration(contents)
        let merger = ChangeMerger(
            pending: changes, schema: schema, rules: overlay.mergeRules, policy: mergePolicy,
            successors: successors.known,
            isUnchanged: try base == state.commit && overlay.stateAsLayer() == state, validator: stack.validator)
        guard saving else {
            let report = try merger.merge(into: overlay)
            report.conflicts.report(to: stack.logs[.merge], name, onConflicts)
            report.notes.report(to: stack.logs[.merge], name)
            return result
        }
        // A context over this one holds the result during the save, so that nothing stays here if the save fails.
        let holder = try makeChild(named: name)
        do {
            let report = try merger.merge(into: holder.overlay)
            let saved = try await holder.save(as: origin, isolation: isolation)
            (report.conflicts + saved.conflicts).report(to: stack.logs[.merge], name, onConflicts)
            (report.notes + saved.notes).report(to: stack.logs[.merge], name)
        } catch {
            holder.reset()
            throw error
        }
        return result
    }

    /// Reads away from this context's actor, on a thread for readers, what this context shows now, pending changes included: for a
    /// request that takes long. All that the closure reads is one state; what changes meanwhile is not part of it.
    ///
    /// ```swift
    /// let total = try await context.read { try Song.all.sum(\.plays, in: $0) }
    /// ```
    ///
    /// Cancelling the task stops the read: its next call throws `cancelled`.
    ///
    /// - Parameters:
    ///   - isolation: The actor of this context, which the compiler fills in.
    ///   - body: The read. It gets a context that reads.
    public func read<T: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable (ReadContext) throws -> T
    ) async throws -> T {
        let stack = try stack
        let levels = try pendingLevels
        let contents = generation.current
        return try await stack.reading { cancellation in
            let shown = try EditContext(over: levels, of: stack, contents, named: nil, cancellation)
            defer { shown.reset() }
            return try shown.asOneCall { try body(shown) }
        }
    }

    /// The pending changes of this context and of every context above it, the topmost first.
    private var pendingLevels: [PendingChanges] {
        get throws {
            let own = try overlay.withBelow { try overlay.shown(over: $0).changes }
            return try (parent?.pendingLevels ?? []) + [own]
        }
    }
}
