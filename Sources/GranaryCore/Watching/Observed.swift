/// The answer to a query, now and after each change: the result of ``ObservationSource/observe(_:)`` and similar
/// methods.
///
/// ```swift
/// for try await artists in stack.observe(Artist.where { $0.rating >= 4.5 }.sorted(by: \.name)) { show(artists) }
/// ```
///
/// - The first value comes at once, then one after each commit that changes the answer, by any writer. An answer equal
///   to the last one is not given again.
/// - Nothing is missed: in a stack each value is one committed state, newer than the one before, and after the last
///   commit the last value is the newest state. A slow loop gets the newest state when it asks again, not every state
///   in between.
/// - In a stack the request runs on the reader threads. In a context it runs on its actor, between other work: several
///   changes in a row give one new value. It runs only when the loop waits for a value.
/// - The loop ends when its task is cancelled or the stack is closed, also before the first value. Errors end it, too:
///   they are thrown.
///
/// Each loop is an observation of its own, which holds the stack or the context while it runs. An observation of a
/// context is not `Sendable`: the loop runs on the context's actor.
///
/// Cost: nothing for commits that change only entities or attributes that the query does not read. For a commit of few
/// records that were not in the last answer, a check of each of them, if the condition uses only a record's own
/// attributes and there is no offset. Otherwise the query runs again. None of this happens on the committing thread.
public struct Observed<Source: ObservationSource, Value: Sendable>: AsyncSequence {
    let source: Source
    let query: ObservedQuery<Value>

    init(_ source: Source, _ query: ObservedQuery<Value>) {
        self.source = source
        self.query = query
    }

    public func makeAsyncIterator() -> Iterator {
        switch source._source {
        case .stack(let stack): Iterator(live: .stack(LiveQuery(stack, query)))
        case .context(let context): Iterator(live: .context(LiveContextQuery(context, query)))
        }
    }

    public struct Iterator: AsyncIteratorProtocol {
        enum Live {
            case stack(LiveQuery<Value>)
            case context(LiveContextQuery<Value>)
        }

        let live: Live

        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Value? {
            switch live {
            case .stack(let live): try await live.next()
            case .context(let live): try await live.next(isolation: actor)
            }
        }
    }
}

extension Observed: Sendable where Source: Sendable {}
