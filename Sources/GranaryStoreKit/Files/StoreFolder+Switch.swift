import GranaryPlatform

extension StoreFolder {
    /// Builds the next generation, makes it the live one atomically, and removes the old one: for compaction, reset,
    /// seed and migration.
    ///
    /// The exclusive lock keeps all other processes, and other ``StoreFolder``s of this process, out. The caller must
    /// keep its own writers out, from before the call until it has opened the new generation: while this call waits for
    /// the lock, the store is not locked at all, and writes to the old generation may be lost. The caller may have the
    /// old files open and copy from them; when the call returns, their names are gone.
    ///
    /// - Parameters:
    ///   - build: Makes the engine's files in an empty folder, whose path it gets, and closes them. They need not be
    ///     synced. If it throws, the new folder is removed, the old generation stays, and its error is rethrown.
    ///   - open: Opens the new files, which are on the disk by then, before anything names them. So everything that
    ///     opening needs exists when they go live. If it throws, the effect is the same as if `build` had thrown.
    ///   - wentLive: Called once the new generation is live, and before the names of the old one are removed: until
    ///     then the old files can be opened by name.
    /// - Throws: `.busy` if other processes have the store open for longer than the time-out, or another switch is
    ///   running or waiting, in any process; `.generationGone` if the folder was removed or replaced by other means;
    ///   `.readOnly`, `.closed`; `.commitOutcomeUnknown` if the new generation is live, but its `CURRENT` could not be
    ///   synced, so that a power failure may bring the old one back, or if the shared lock of the folder could not be
    ///   taken again.
    func switchGeneration(
        busyTimeout: Double, build: (_ generationPath: String) throws -> Void,
        open: (_ generationPath: String) throws -> Void = { _ in },
        wentLive: () -> Void = {}
    ) throws {
        let (lockFile, old) = try beginSwitch()
        defer { stateLock.withLock { state.isSwitching = false } }
        let deadline = Deadline(seconds: busyTimeout)
        // Asking for the exclusive lock gives up the shared lock, which protects this generation. So only the process
        // that has the folder's own lock asks: if two try at once, neither can remove the other's generation.
        guard try Self.lockRoot(root) else {
            throw GranaryError(.busy, "\(path) is being replaced by another process or stack. Try again later.")
        }
        defer { root.unlock() }

        // The file descriptor that is needed to read `CURRENT` at the end.
        var spareDescriptor: OpenFolder? = try root.folder(".")
        do {
            // The folder may be removed by other means during the wait. Then further waiting would be useless.
            let isAlone = try lockFile.lock(.exclusive, until: deadline) { () throws(GranaryError) in
                try LongWork.checkCancellation()
                try requireLive(old, lockFile)
                return true
            }
            try requireLive(old, lockFile)
            guard isAlone else {
                throw GranaryError(
                    .busy,
                    "\(path) is open elsewhere, and this needs it alone. "
                        + "Close it there and try again, or give a longer time-out.")
            }
            try replace(old, build, open, wentLive)
        } catch {
            let cause = error
            spareDescriptor = nil
            try regainSharedLock(lockFile, since: old)
            throw cause
        }
        withExtendedLifetime(spareDescriptor) {}
        spareDescriptor = nil
        try regainSharedLock(lockFile, since: old)
    }

    /// Waits, without having the store open, until no process replaces, or waits to replace, the generation of the
    /// store at a path.
    static func waitForSwitch(path: String, until deadline: Deadline) throws(GranaryError) {
        // It waits for some time in any case, and not for the same time in every process.
        repeat {
            usleep(UInt32.random(in: 1_000...10_000))
            guard let root = try StorePath(path).openFolder() else { return }
            if try root.tryLock() { return root.unlock() }
        } while !deadline.isOver
    }

    /// Takes the folder's own lock if no process replaces or removes the store. A process in
    /// ``waitForSwitch(path:until:)`` has it for a moment; this function waits for that.
    static func lockRoot(_ root: OpenFolder) throws(GranaryError) -> Bool {
        try root.lock(until: Deadline(seconds: 0.1))
    }

    private func beginSwitch() throws(GranaryError) -> (OpenFile, Int) {
        try stateLock.withLock { () throws(GranaryError) in
            guard !state.isClosed else {
                throw GranaryError.storeClosed
            }
            guard access == .readWrite, let lockFile = state.lockFile else {
                throw GranaryError.readOnly(path)
            }
            guard !state.isSwitching else {
                throw GranaryError(.busy, "\(path) is already being replaced. Wait for that to end.")
            }
            state.isSwitching = true
            return (lockFile, state.generation)
        }
    }

    private func replace(
        _ old: Int, _ body: (String) throws -> Void, _ open: (String) throws -> Void, _ wentLive: () -> Void
    ) throws {
        let next = StoreDescription(kind: kind, generation: old + 1)
        let name = StoreNames.generation(next.generation)
        try Self.removeUnnamedGenerations(in: root)
        do {
            try Self.build(next.generation, in: root, body)
            try Self.writeNext(next, in: root)
            try LongWork.checkCancellation()
            try LongWork.afterTheEnd { try open(root.path(of: name)) }
            try root.rename(StoreNames.next, to: StoreNames.current)
        } catch {
            try? root.removeTree(name)
            try? root.removeFile(StoreNames.next)
            throw error
        }
        // From now on every process that opens the store gets the new generation.
        stateLock.withLock { state.generation = next.generation }
        var failure: GranaryError?
        do throws(GranaryError) { try root.synchronize() } catch { failure = error }
        wentLive()
        if let failure {
            throw failure.afterDone("The new data of \(path) is live, but may not survive a power failure.")
        }
        // If something cannot be removed now, the next opening of the store removes it.
        try? root.removeTree(StoreNames.generation(old))
    }

    /// Goes back to the shared lock. For a moment there is no lock, and the store may be removed by other means.
    ///
    /// - Parameter old: The generation before the switch: if it is no longer the live one, the switch is done.
    private func regainSharedLock(_ lockFile: OpenFile, since old: Int) throws(GranaryError) {
        let expected = generation
        do throws(GranaryError) {
            // Other processes hold the exclusive lock only while they create or replace, which ends.
            guard try lockFile.lock(.shared, until: Deadline(seconds: 60)) else { throw gone }
            try requireLive(expected, lockFile)
        } catch {
            guard expected != old, error.code != .generationGone else { throw error }
            throw error.afterDone("The new data of \(path) is live. Close the store and open it again.")
        }
    }

    private func requireLive(_ expected: Int, _ lockFile: OpenFile) throws(GranaryError) {
        guard try Self.isStillThere(root, lockFile), try Self.description(in: root).generation == expected else {
            throw gone
        }
    }

    var gone: GranaryError {
        GranaryError(
            .generationGone,
            "\(path) was reset, migrated or removed by another process. Close the store and open it again.")
    }
}
