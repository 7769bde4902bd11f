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
    /// in this context; see ``Stack/observe(_:)``.
    public func observe<Root, Output>(_ request: Request<Root, Output>) -> ContextObservation<[Output]> {
        ContextObservation(self, ObservedQueries.outputs(request))
    }

    /// The record with a key, or nil, now and whenever it changes in this context.
    public func observe<R: Record>(_ type: R.Type, _ key: R.Key) -> ContextObservation<R?> {
        ContextObservation(self, ObservedQueries.outputs(Query<R>(key: key)).map(\.first))
    }

    /// How many records a query names, now and whenever the number changes in this context.
    public func observeCount<Root, Output>(_ request: Request<Root, Output>) -> ContextObservation<Int> {
        ContextObservation(self, ObservedQueries.count(request))
    }

    /// The records of a request with the difference from the last value; see ``Stack/observeChanges(_:)``.
    public func observeChanges<Root, Output>(
        _ request: Request<Root, Output>
    ) -> ContextObservation<QueryChange<Root, Output>> {
        ContextObservation(self, ObservedQueries.changes(request))
    }

    /// Aggregates of all records of a query; see ``Stack/observeAggregate(_:)``.
    public func observeAggregate<Root, Output>(_ chosen: Request<Root, Output>) -> ContextObservation<Output> {
        ContextObservation(self, ObservedQueries.aggregates(chosen))
    }
}
