// A save works on copies: what is pending in each context up to the stack is joined into one set of changes, which is
// written in one transaction. Only when that has been committed do the contexts learn of it. So a failure anywhere leaves
// every context, and the store, as they were; and a context may go on being changed while its save runs.

extension EditContext {
    /// Whether there is anything to save in this context itself.
    public var hasChanges: Bool { !overlay.pending.isEmpty }

    /// Saves to the store: this context's changes and those of every context above it, in one transaction, as durable as
    /// the store was asked to be. A clean context saves what its parents hold.
    ///
    /// Blocks the calling thread. Afterwards the contexts hold no changes.
    ///
    /// - Throws: `mergeConflict` if the store has changed under them and ``mergePolicy`` does not settle it, `uniqueness`,
    ///   `danglingReference`, `deniedDeletion`, `invalidRecord`, and what a write throws. Nothing has changed then, in any
    ///   context or in the store.
    @discardableResult public func save() throws -> SaveResult {
        let stack = try stack
        let saving = try prepareSave()
        let merger = ChangeMerger(pending: saving.pending, schema: schema, policy: mergePolicy)
        let result = try stack.save(merger, origin)
        finish(saving)
        return result.adding(saving.conflicts)
    }

    /// Saves as the blocking form does, while the caller's actor does other work. What is changed meanwhile stays pending.
    @discardableResult public func save(isolation: isolated (any Actor)? = #isolation) async throws -> SaveResult {
        let stack = try stack
        let saving = try prepareSave()
        let merger = ChangeMerger(pending: saving.pending, schema: schema, policy: mergePolicy)
        let result = try await stack.save(merger, origin)
        finish(saving)
        return result.adding(saving.conflicts)
    }

    /// Saves in the background, and says on the main actor how it went.
    @MainActor public func save(then completion: @escaping @MainActor (Result<SaveResult, any Error>) -> Void) {
        Task { @MainActor in
            let result: Result<SaveResult, any Error>
            do { result = .success(try await self.save()) } catch { result = .failure(error) }
            completion(result)
        }
    }

    /// Hands this context's changes to its parent, where they are pending from then on; without a parent, saves to the
    /// store.
    ///
    /// - Throws: What ``save()`` throws, about the parent. Nothing has changed then.
    @discardableResult public func saveToParent() throws -> SaveResult {
        guard let parent else { return try save() }
        guard hasChanges else { return SaveResult(.init(), transactionNumber: nil) }
        try validate()
        let merger = ChangeMerger(pending: overlay.pending, schema: schema, policy: mergePolicy)
        let report = try merger.merge(into: parent.overlay)
        overlay.replace(PendingChanges(schema))
        return SaveResult(report, transactionNumber: nil)
    }

    /// What the contexts from this one up have to save.
    private func prepareSave() throws -> Saving {
        var saving = Saving()
        var below: PendingChanges?
        var next: EditContext? = self
        while let context = next {
            if context.hasChanges { try context.validate() }
            let own = context.overlay.pending
            var joined = own
            if let below, !below.isEmpty {
                let overlay = Overlay(schema, context.overlay.coordinator, own) { try context.overlay.openBelow() }
                let merger = ChangeMerger(pending: below, schema: schema, policy: mergePolicy)
                saving.conflicts += try merger.merge(into: overlay).conflicts
                joined = overlay.pending
            }
            saving.parts.append((context, own, context.overlay.version))
            below = joined
            next = context.parent
        }
        saving.pending = below ?? PendingChanges(schema)
        return saving
    }

    private func finish(_ saving: Saving) {
        for (context, own, version) in saving.parts {
            let overlay = context.overlay
            overlay.replace(overlay.version == version ? own.emptied : overlay.pending.rebased(on: own))
        }
    }

    private struct Saving {
        /// Each context, with the changes of its own and the version that held them.
        var parts: [(context: EditContext, own: PendingChanges, version: Int)] = []
        /// All of them joined.
        var pending = PendingChanges(entityCount: 0)
        /// What was settled where they were joined.
        var conflicts: [MergeConflict] = []
    }
}

extension Stack {
    func save(_ merger: ChangeMerger, _ origin: ChangeOrigin) throws -> SaveResult {
        if merger.pending.isEmpty { return SaveResult(.init(), transactionNumber: nil) }
        let (report, number) = try writeNumbered(from: origin) { try merger.merge(into: $0.writer) }
        return SaveResult(report, transactionNumber: number)
    }

    func save(_ merger: ChangeMerger, _ origin: ChangeOrigin) async throws -> SaveResult {
        if merger.pending.isEmpty { return SaveResult(.init(), transactionNumber: nil) }
        let (report, number) = try await writeNumbered(from: origin) { try merger.merge(into: $0.writer) }
        return SaveResult(report, transactionNumber: number)
    }
}
