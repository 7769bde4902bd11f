import GranaryPlatform
extension Stack {
    /// Reads the newest committed state, which stays the same during the read. It does not wait for writers.
    ///
    /// ```swift
    /// let top = try await stack.read { try $0.fetch(Artist.where { $0.rating >= 4.5 }) }
    /// ```
    ///
    /// Cancelling the task stops the read: the running or the next call on the snapshot throws `cancelled`.
    public func read<T: Sendable>(_ body: @escaping @Sendable (Snapshot) throws -> T) async throws -> T {
        try await reading { try self.readNow($0, body) }
    }

    /// Runs a read on a thread for readers, as a read that closing the stack waits for.
    ///
    /// - Parameter body: The read. It gets the flag that is set when the task is cancelled.
    func reading<T: Sendable>(_ body: @escaping @Sendable (CancellationFlag) throws -> T) async throws -> T {
        let cancellation = CancellationFlag(also: try activity.enter())
        return try await withTaskCancellationHandler {
            try await readers.value {
                // Must happen on this thread, and not after the caller has been resumed: a close of the stack may wait
                // for it on the thread that the caller's resumption needs.
                defer { self.activity.leave() }
                try cancellation.check()
                return try self.activity.onThisThread { try body(cancellation) }
            }
        } onCancel: {
            cancellation.set()
        }
    }

    fileprivate func readNow<T>(_ cancellation: CancellationFlag, _ body: (Snapshot) throws -> T) throws -> T {
        let reader = try store.beginRead(cancellation)
        store.coordinator.see(reader.transactionNumber)
        let snapshot = Snapshot(reader, schema: schema, types: types)
        defer { snapshot.end() }
        return try body(snapshot)
    }
}

extension Blocking where Base == Stack {
    /// Reads one consistent state on the calling thread.
    ///
    /// ```swift
    /// let artist = try stack.blocking.read { try $0.find(Artist.self, 100) }
    /// ```
    public func read<T>(_ body: (Snapshot) throws -> T) throws -> T {
        let thread = currentThread()
        let cancellation = try base.activity.enter(on: thread)
        defer { base.activity.leave(thread) }
        return try base.readNow(cancellation, body)
    }
}
