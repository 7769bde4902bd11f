import GranaryPlatform

extension Stack {
    /// Waits for running reads and writes, and closes the store. Reads and writes that begin later throw `closed`.
    /// Closing again does nothing.
    ///
    /// ```swift
    /// try await stack.close()
    /// ```
    ///
    /// - Throws: `busy` inside a read or a write of this stack, because it would wait for itself.
    public func close() async throws {
        let closer = BlockingThreads(limit: 1)
        defer { closer.stop() }
        let caller = currentThread()
        try activity.refuseInside(caller)
        try await closer.value { try self.closeNow() }
    }

    fileprivate func closeNow() throws {
        guard activity.beginClosing() else { return }
        companions.close()
        activity.waitUntilIdle()
        readers.stop()
        writers.stop()
        workers.stop()
        syncs.stop()
        try store.close()
    }
}

extension Blocking where Base == Stack {
    /// Waits for running reads and writes and closes the store.
    public func close() throws {
        try base.activity.refuseInside(currentThread())
        try base.closeNow()
    }
}
