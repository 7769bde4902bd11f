/// The answer to a query, now and whenever it changes: what ``Stack/observe(_:)-(RecordRequest)``
/// and its like return.
///
/// ```swift
/// for try await artists in stack.observe(Artist.where { $0.rating >= 4.5 }.sorted(by: \.name)) { show(artists) }
/// ```
///
/// - The first value comes at once, then one after each commit that has changed the answer, whatever wrote it. An answer
///   equal to the last is not given again.
/// - Nothing is missed: each value is one committed state, newer than the one before, and when no more is committed the last
///   value given is the newest. A loop that is slow gets the newest state when it comes back, not each one between.
/// - The query is asked on the stack's reader threads, and only when the loop waits for a value.
/// - The loop ends when its task is cancelled or the stack is closed, also before the first value. Errors end it, too: they
///   are thrown.
///
/// Each loop is an observation of its own, which holds the stack while it lasts.
///
/// Cost: nothing for a commit of other entities or other attributes than the query looks at. For one of few records that
/// were not in the last answer, a look at each of them, where the condition asks of a record's own attributes alone and
/// there is no offset. Else the query is asked again. The thread that commits does none of it.
public struct QueryObservation<Value: Sendable>: AsyncSequence, Sendable {
    let stack: Stack
    let query: ObservedQuery<Value>

    init(_ stack: Stack, _ query: ObservedQuery<Value>) {
        self.stack = stack
        self.query = query
    }

    public func makeAsyncIterator() -> Iterator { Iterator(live: LiveQuery(stack, query)) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let live: LiveQuery<Value>

        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Value? {
            try await live.next()
        }
    }
}
