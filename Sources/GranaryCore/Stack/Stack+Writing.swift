extension Stack {
    /// Writes, alone and all or nothing: commits when the closure returns, rolls back when it throws.
    ///
    /// Returns when the commit is as durable as the store was asked to be. A task that is cancelled before its turn comes
    /// throws `cancelled`; from then on it runs to its end.
    public func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
        let cancellation = CancellationFlag()
        try activity.enter()
        return try await withTaskCancellationHandler {
            try await writers.value {
                // As for reads, on this thread.
                defer { self.activity.leave() }
                guard !cancellation.isSet else {
                    throw GranaryError(.cancelled, "The write was cancelled before its turn.")
                }
                return try self.activity.onThisThread { try self.writeNow(body) }
            }
        } onCancel: {
            cancellation.set()
        }
    }

    /// Writes as the async form does, blocking the calling thread; the closure runs on the stack's writer thread.
    ///
    /// - Throws: `reentrantWrite` inside a write of the same stack.
    public func write<T>(_ body: (Transaction) throws -> T) throws -> T {
        try activity.enter()
        defer { activity.leave() }
        try activity.refuseWriteInsideWrite(currentThread())
        return try writers.blockingValue { try self.activity.onThisThread { try self.writeNow(body) } }
    }

    private func writeNow<T>(_ body: (Transaction) throws -> T) throws -> T {
        let writer = try store.beginWrite()
        let session = StoreSession(reader: writer, schema: schema, types: types)
        activity.isWriting(true)
        defer {
            activity.isWriting(false)
            session.end()
        }
        let result = try body(Transaction(session, writer: writer))
        session.didCommit()
        try writer.commit()
        return result
    }
}
