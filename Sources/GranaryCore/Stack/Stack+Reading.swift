import GranaryPlatform
extension Stack {
    /// Reads the newest committed state, which stays the same during the read. It does not wait for writers.
    ///
    /// ```swift
    /// let top = try await stack.read { try $0.fetch(Artist.where { $0.rating >= 4.5 }) }
    /// let feed = try await stack.read(as: "feed") { try $0.fetch(Song.sorted(by: \.plays, .descending).limit(50)) }
    /// ```
    ///
    /// Cancelling the task stops the read: the running or the next call on the snapshot throws `cancelled`.
    ///
    /// - Parameters:
    ///   - name: The name of the read in the log, in metrics and in traces. The warning about a read that is open for
    ///     long has it, too.
    ///   - body: The work. It gets the snapshot.
    public func read<T: Sendable>(
        as name: String? = nil, _ body: @escaping @Sendable (Snapshot) throws -> T
    ) async throws -> T {
        try await watchedRead(name, body) { body in
            try await self.reading(as: name) { try self.readNow($0, body) }
        }
    }

    /// Runs a read on a thread for readers, as a read that closing the stack waits for.
    ///
    /// - Parameter body: The read. It gets the flag that is set when the task is cancelled.
    func reading<T: Sendable>(
        as name: String? = nil, _ body: @escaping @Sendable (CancellationFlag) throws -> T
    ) async throws -> T {
        let work = try activity.enter()
        let cancellation = CancellationFlag(also: work.cancellation)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Must happen on this thread, and not after the caller has been resumed: a close of the stack may wait
                // for it on the thread that the caller's resumption needs.
                let finish: @Sendable (Result<T, any Error>) -> Void = { outcome in
                    work.leave()
                    continuation.resume(with: outcome)
                }
                do {
                    try readers.submit { seconds in
                        finish(.failure(StackLimits.busy("read", after: seconds)))
                    } _: {
                        let outcome = Result {
                            try cancellation.check()
                            return try self.activity.onThisThread(named: name) { try body(cancellation) }
                        }
                        return { finish(outcome) }
                    }
                } catch {
                    finish(.failure(StackLimits.busy("read", after: nil)))
                }
            }
        } onCancel: {
            cancellation.set()
        }
    }

    fileprivate func readNow<T>(_ cancellation: CancellationFlag, _ body: (Snapshot) throws -> T) throws -> T {
        let reader = try store.beginRead(cancellation)
        coordinator.see(reader.transactionNumber)
        let snapshot = Snapshot(reader, settings.own)
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
    ///
    /// - Parameters:
    ///   - name: The name of the read, as in ``Stack/read(as:_:)``.
    ///   - body: The work. It gets the snapshot.
    public func read<T>(as name: String? = nil, _ body: (Snapshot) throws -> T) throws -> T {
        let work = try base.activity.enter(on: currentThread(), named: name)
        defer { work.leave() }
        guard let recorder = base.recorder else { return try base.readNow(work.cancellation, body) }
        let running = recorder.begin(.read, name)
        return try running.ending { try base.readNow(work.cancellation) { try running.running($0, body) } }
    }
}
