/// The answer to a query, now and whenever it changes: what ``ObservationSource/observe(_:)`` and
/// its like return.
///
/// ```swift
/// for try await artists in stack.observe(Artist.where { $0.rating >= 4.5 }.sorted(by: \.name)) { show(artists) }
/// ```
///
/// - The first value comes at once, then one after each commit that has changed the answer, whatever wrote it. An answer
///   equal to the last is not given again.
/// - Nothing is missed: in a stack each value is one committed state, newer than the one before, and when no more is committed the last
///   value given is the newest. A loop that is slow gets the newest state when it comes back, not each one between.
/// - In a stack the request is asked on the reader threads; in a context on its actor, between other work there: several
///   changes in a row are one new value. It is asked only when the loop waits for a value.
/// - The loop ends when its task is cancelled or the stack is closed, also before the first value. Errors end it, too: they
///   are thrown.
///
/// Each loop is an observation of its own, which holds the stack or the context while it lasts. An observation of a context is
/// not `Sendable`: the loop runs where the context lives.
///
/// Cost: nothing for a commit of other entities or other attributes than the query looks at. For one of few records that
/// were not in the last answer, a look at each of them, where the condition asks of a record's own attributes alone and
/// there is no offset. Else the query is asked again. The thread that commits does none of it.
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
