extension Stack {
    /// Gives free space back to the file system: writes the store anew, without it, and puts the new files in the place of
    /// the old ones.
    ///
    /// ```swift
    /// try await stack.compact()
    /// ```
    ///
    /// A store keeps the space of what was deleted or changed for what is written next, and its files never shrink by
    /// themselves: after a large deletion, or after a read that was open for long while others wrote, they may be many
    /// times as large as what is in them.
    ///
    /// - The stack and its contexts stay as they are, and observers see no change. Records, history, assigned keys and the
    ///   numbers of commits are the same afterwards.
    /// - Reads that are under way finish on the old files, whose space is given back when the last of them ends. Writes of
    ///   this process wait.
    /// - It needs the store alone among processes, and room on the disk for the new files beside the old ones. If it
    ///   fails, or the process is killed, the old files or the new ones are there, whole.
    /// - It takes as long as reading all records and writing them. A store in memory has nothing to give back.
    /// - Cancelling the task ends it, as long as the new files are not those of the store.
    ///
    /// - Parameter onProgress: Called now and then, on a thread of the stack's own, with the entries or pages that were copied.
    /// - Throws: `busy` if another process has the store open, or one has been writing for longer than the store's busy
    ///   time-out; `full` if there is no room for the new files; `readOnly`; `corrupt`; `closed`;
    ///   `cancelled`.
    public func compact(onProgress: (@Sendable (StoreProgress) -> Void)? = nil) async throws {
        try await longWork(on: writers, onProgress) { [self] _ in try store.compact() }
    }
}
