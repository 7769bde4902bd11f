extension Stack {
    /// Gives free space back to the file system: writes the store anew, without free space, and replaces the old files
    /// by the new ones.
    ///
    /// ```swift
    /// try await stack.compact()
    /// ```
    ///
    /// A store reuses the space of deleted and changed data for later writes, and its files never shrink by themselves:
    /// after a large deletion, or after a read that was open for a long time while others wrote, they may be many times
    /// larger than their contents.
    ///
    /// - The stack and its contexts stay as they are, and observers see no change. Records, history, assigned keys and
    ///   the numbers of commits are the same afterwards.
    /// - Running reads finish on the old files, whose space is given back when the last of them ends. Writes of this
    ///   process wait.
    /// - No other process may have the store open, and the disk needs room for the new files beside the old ones. If it
    ///   fails, or the process is killed, either the old or the new files are complete.
    /// - It takes as long as reading and writing all records. For a store in memory it does nothing.
    /// - Cancelling the task ends it, until the new files have replaced the old ones.
    ///
    /// - Parameter onProgress: Called now and then, on a thread of the stack's own, with the number of copied entries
    ///   or pages.
    /// - Throws: `busy` if another process has the store open, or one has been writing for longer than the store's busy
    ///   time-out; `full` if there is no room for the new files; `readOnly`; `corrupt`; `closed`;
    ///   `cancelled`.
    public func compact(onProgress: (@Sendable (StoreProgress) -> Void)? = nil) async throws {
        try await longWork(on: writers, onProgress) { [self] _ in try store.compact() }
    }
}
