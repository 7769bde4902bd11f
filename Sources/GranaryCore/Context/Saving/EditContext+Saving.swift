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
        guard let top = saving.last, !top.pending.isEmpty else { return SaveResult(.init(), transactionNumber: nil) }
        let result = try stack.save(top.pending, mergePolicy, origin)
        finish(saving)
        return result
    }

    /// Saves as the blocking form does, while the caller's actor does other work. What is changed meanwhile stays pending.
    @discardableResult public func save(isolation: isolated (any Actor)? = #isolation) async throws -> SaveResult {
        let stack = try stack
        let saving = try prepareSave()
        guard let top = saving.last, !top.pending.isEmpty else { return SaveResult(.init(), transactionNumber: nil) }
        let result = try await stack.save(top.pending, mergePolicy, origin)
        finish(saving)
        return result
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

    /// The contexts from this one up, with what each has to save: its own changes and those of the contexts below it.
    private func prepareSave() throws -> [Saving] {
        var result: [Saving] = []
        var next: EditContext? = self
        while let context = next {
            if context.hasChanges { try context.validate() }
            var pending = context.overlay.pending
            if let below = result.last, !below.pending.isEmpty {
                let joined = Overlay(schema, context.overlay.coordinator, pending) {
                    try context.overlay.openBelow()
                }
                _ = try ChangeMerger(pending: below.pending, schema: schema, policy: mergePolicy).merge(into: joined)
                pending = joined.pending
            }
            let overlay = context.overlay
            result.append(
                Saving(context: context, own: overlay.pending, version: overlay.version, pending: pending))
            next = context.parent
        }
        return result
    }

    private func finish(_ saving: [Saving]) {
        for part in saving {
            let overlay = part.context.overlay
            let isAsSaved = overlay.version == part.version
            overlay.replace(isAsSaved ? part.own.emptied : overlay.pending.rebased(on: part.own))
        }
    }

    private struct Saving {
        let context: EditContext
        let own: PendingChanges
        /// That of the context with its own changes.
        let version: Int
        let pending: PendingChanges
    }
}

extension Stack {
    func save(_ pending: PendingChanges, _ policy: MergePolicy, _ origin: ChangeOrigin) throws -> SaveResult {
        let merger = ChangeMerger(pending: pending, schema: schema, policy: policy)
        let (report, number) = try writeNumbered(from: origin) { try merger.merge(into: $0.writer) }
        return SaveResult(report, transactionNumber: number)
    }

    func save(_ pending: PendingChanges, _ policy: MergePolicy, _ origin: ChangeOrigin) async throws -> SaveResult {
        let merger = ChangeMerger(pending: pending, schema: schema, policy: policy)
        let (report, number) = try await writeNumbered(from: origin) { try merger.merge(into: $0.writer) }
        return SaveResult(report, transactionNumber: number)
    }
}
