import GranaryPlatform
extension Stack {
    /// Reads one consistent state, the newest. It does not wait for writers, and writers do not change what it sees.
    ///
    /// Cancelling the task stops the read: the next call on the snapshot, or the one under way, throws `cancelled`.
    public func read<T: Sendable>(_ body: @escaping @Sendable (Snapshot) throws -> T) async throws -> T {
        let cancellation = CancellationFlag(also: try activity.enter())
        return try await withTaskCancellationHandler {
            try await readers.value {
                // On this thread, not after the caller has been resumed: closing the stack may have to wait for it
                // on a thread that the caller's resumption needs.
                defer { self.activity.leave() }
                try cancellation.check()
                return try self.activity.onThisThread { try self.readNow(cancellation, body) }
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
    public func read<T>(_ body: (Snapshot) throws -> T) throws -> T {
        let thread = currentThread()
        let cancellation = try base.activity.enter(on: thread)
        defer { base.activity.leave(thread) }
        return try base.readNow(cancellation, body)
    }
}
