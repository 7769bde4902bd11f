/// The answer to a query as a context shows it, now and whenever that changes: by the context's own changes, saved or not,
/// those of its parents, and by what anybody commits.
///
/// As ``QueryObservation``, but read on the context's actor, between other work there: several changes in a row are one
/// new value, given when the actor is free. It is not `Sendable`: the loop runs where the context lives. It ends when its
/// task is cancelled or the stack is closed, and holds the context while it lasts.
public struct ContextObservation<Value: Sendable>: AsyncSequence {
    let context: EditContext
    let query: ObservedQuery<Value>

    init(_ context: EditContext, _ query: ObservedQuery<Value>) {
        self.context = context
        self.query = query
    }

    public func makeAsyncIterator() -> Iterator { Iterator(live: LiveContextQuery(context, query)) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let live: LiveContextQuery<Value>

        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Value? {
            do {
                let observer = try live.observer()
                while await observer.wait() {
                    if let value = try live.read() { return value }
                }
            } catch  where ObservationEnd.isEnd(error) {
                return nil
            }
            return nil
        }
    }
}

extension EditContext {
    /// The records of a request, in the query's order, each with what is loaded with it, now and whenever any of that changes
    /// in this context; see ``Stack/observe(_:)-(RecordRequest)``.
    public func observe<R: Record, Output>(_ request: some RecordRequest<R, Output>) -> ContextObservation<[Output]> {
        ContextObservation(self, ObservedQueries.records(request.loaded))
    }

    /// The record with a key, or nil, now and whenever it changes in this context.
    public func observe<R: Record>(_ type: R.Type, _ key: R.Key) -> ContextObservation<R?> {
        ContextObservation(self, ObservedQueries.records(Query<R>(key: key).loaded).map(\.first))
    }

    /// How many records a query names, now and whenever the number changes in this context.
    public func observeCount<R: Record>(_ query: Query<R>) -> ContextObservation<Int> {
        ContextObservation(self, ObservedQueries.count(query))
    }

    /// The records of a request with the difference from the last value; see ``Stack/observeChanges(_:)``.
    public func observeChanges<R: Record, Output>(
        _ request: some RecordRequest<R, Output>
    ) -> ContextObservation<QueryChange<R, Output>> {
        ContextObservation(self, ObservedQueries.changes(request.loaded))
    }

    /// Chosen values of a query's records. Changes of what is not chosen, asked or ordered by are not looked at.
    public func observe<R: Record, Output>(
        _ projection: Projection<R, Output>
    ) -> ContextObservation<[Output]> {
        ContextObservation(self, ObservedQueries.tuples(projection))
    }

    /// The groups of a query, a tuple a group.
    public func observe<R: Record, Output>(
        _ grouped: GroupedQuery<R, Output>
    ) -> ContextObservation<[Output]> {
        ContextObservation(self, ObservedQueries.tuples(grouped))
    }

    /// Aggregates of all records of a query; see ``Stack/observeAggregate(_:)``.
    public func observeAggregate<R: Record, Output>(_ chosen: Projection<R, Output>) -> ContextObservation<Output> {
        ContextObservation(self, ObservedQueries.aggregates(chosen))
    }

    /// The records of a query by names.
    public func observe(_ query: DynamicQuery) -> ContextObservation<[DynamicRecord]> {
        ContextObservation(self, ObservedQueries.records(query))
    }
}
