extension EditContext {
    /// For each change in this context from this call on, saved or not: its effect on the records of a type that meet a
    /// condition. The counterpart of ``Stack/monitor(_:where:)``, which reports commits. A savepoint is one change.
    ///
    /// ```swift
    /// for try await changes in try edit.monitor(Song.self, where: { $0.plays > 100 }) { print(changes.inserted) }
    /// ```
    ///
    /// A record that is inserted and deleted in two calls is reported twice. Taking changes back (`undo`, `rollback`)
    /// is a change; saving is not. Only this context's own changes are reported, not those of its parent and of
    /// commits.
    ///
    /// The sequence ends when the task is cancelled, the context is released or its stack is closed; it holds neither.
    /// Use one sequence for each loop: two loops over one sequence would share the changes.
    ///
    /// - Throws: `unknownEntity`; `closed` if the stack is gone; `invalidQuery` for a condition about related records,
    ///   because their earlier states are unknown. Use ``observeChanges(_:)`` for such conditions.
    public func monitor<R: Record>(
        _ type: R.Type, @ConditionBuilder<R> where condition: (R.Fields) -> Condition<R> = { _ in .always }
    ) throws -> ContextMonitor<R> {
        let request = try FetchRequest(AnyRequest(R.entityName, where: condition(R.fields).untyped), in: schema)
        guard let filter = RowFilter(request, in: schema) else {
            throw GranaryError(
                .invalidQuery,
                "A context's monitor cannot ask of related records. Observe the query with observeChanges instead.",
                entity: R.entityName)
        }
        // A throwing stream would trap if two tasks wait at once.
        let (stream, continuation) = AsyncStream.makeStream(of: Result<EntityChanges<R>, any Error>.self)
        let end = CancellationFlag()
        let monitors = try stack.companion(ContextMonitors.self)
        let number = monitors.add { continuation.finish() }
        continuation.onTermination = { [weak monitors] _ in
            end.set()
            monitors?.forget(number)
        }
        let (entity, origin) = (schema.entities[filter.entity], origin)
        overlay.observers.steps.append(
            StepObserver(until: end, finish: { continuation.finish() }) { steps in
                do {
                    let changes = try EntityChanges<R>(steps, filter, entity, origin)
                    if !changes.isEmpty { continuation.yield(.success(changes)) }
                } catch {
                    continuation.yield(.failure(error))
                    continuation.finish()
                }
            })
        return ContextMonitor(stream: stream)
    }
}

/// See ``EditContext/monitor(_:where:)``.
public struct ContextMonitor<R: Record>: AsyncSequence, Sendable {
    let stream: AsyncStream<Result<EntityChanges<R>, any Error>>

    public func makeAsyncIterator() -> Iterator { Iterator(stream: stream.makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var stream: AsyncStream<Result<EntityChanges<R>, any Error>>.Iterator

        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws
            -> EntityChanges<R>?
        {
            try await stream.next(isolation: actor)?.get()
        }
    }
}

extension EntityChanges {
    /// The net effect of the steps of one call.
    fileprivate init(_ steps: [Overlay.Step], _ filter: RowFilter, _ entity: Entity, _ origin: ChangeOrigin) throws {
        self.init(origin: origin)
        var ends: [StoredValue: (before: StoredRow?, after: StoredRow?)] = [:]
        for step in steps where step.entity == filter.entity {
            ends[step.key] = (ends[step.key].map { $0.before } ?? step.before, step.after)
        }
        for (key, (before, after)) in ends.sorted(by: { $0.key < $1.key }) {
            if let before, let after, before.isSame(as: after) { continue }
            let did = try before.map(filter.holds) ?? false
            let record = try after.flatMap { row in
                try filter.holds(row) ? entity.record(R.self, from: row.row) : nil
            }
            switch (before, after, record) {
            case (nil, _, let record?): inserted.append(record)
            case (_, nil, _): if did { deleted.append(try R.Key(stored: key)) }
            case (_, _, let record?): if did { updated.append(record) } else { began.append(record) }
            case (_, _, nil): if did { ceased.append(try R.Key(stored: key)) }
            }
        }
    }
}
