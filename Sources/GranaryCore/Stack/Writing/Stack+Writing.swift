import Foundation
import GranaryPlatform
import Logging

extension Stack {
    /// Runs one write transaction: commits when the closure returns, rolls back all of it when the closure throws.
    ///
    /// ```swift
    /// let artist = try await stack.write { tx in try tx.insert(Artist(id: 101, name: "Nina Simone")) }
    /// ```
    ///
    /// Returns when the commit has the requested durability. Writes that wait for their turn share a commit: see
    /// ``GroupCommit``. If the task is cancelled before its turn comes, it throws `cancelled`. After that the write
    /// runs to its end.
    ///
    /// - Parameters:
    ///   - name: The name of the writer, for observers and the history.
    ///   - durability: What the commit survives; nil for the durability that the store was opened with. After `relaxed`
    ///     ones, ``synchronize()`` makes sure that a loss of power loses none of them. `off` counts as `relaxed`.
    ///   - body: The work. It gets the transaction.
    @discardableResult public func write<T: Sendable>(
        as name: String? = nil, durability: Durability? = nil, _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        try await watchedWrite(from: ChangeOrigin(name: name), WriteDurability(asked: durability), body).result
    }

    /// Writes, and also returns the number of the commit, if something was written.
    func writeNumbered<T: Sendable>(
        from origin: ChangeOrigin, _ durability: WriteDurability = WriteDurability(asked: nil),
        _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> (result: T, commit: GroupCommitOutcome) {
        let cancellation = CancellationFlag()
        let retrier = Retrier.current
        retrier?.note(self)
        let work = try activity.enter()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let finish: @Sendable (Result<(result: T, commit: GroupCommitOutcome), any Error>) -> Void = {
                    outcome in
                    // On this thread, as for reads.
                    work.leave()
                    continuation.resume(with: outcome)
                }
                let joiner = WaitingWrite(isOnCallersThread: false, durability) { group in
                    do {
                        try cancellation.checkBeforeWrite()
                        let (result, write, number) = try self.activity.onThisThread {
                            try group.perform(origin, body)
                        }
                        group.add(write, number) { outcome in finish(outcome.map { (result, $0) }) }
                    } catch {
                        finish(.failure(error))
                    }
                }
                do {
                    try writers.submit(for: retrier, joiner: joiner) { seconds in
                        finish(.failure(StackLimits.busy("write", after: seconds)))
                    } _: {
                        let outcome = Result {
                            try cancellation.checkBeforeWrite()
                            return try self.activity.onThisThread { try self.writeNow(origin, durability, body) }
                        }
                        return { finish(outcome) }
                    }
                } catch {
                    finish(.failure(StackLimits.busy("write", after: nil)))
                }
            }
        } onCancel: {
            cancellation.set()
        }
    }

    func writeNumbered<T>(
        from origin: ChangeOrigin, _ durability: WriteDurability = WriteDurability(asked: nil),
        _ body: (Transaction) throws -> T
    ) throws -> (result: T, commit: GroupCommitOutcome) {
        let retrier = Retrier.current
        retrier?.note(self)
        let work = try activity.enter()
        defer { work.leave() }
        try activity.refuseWriteInsideWrite(currentThread())
        return try writers.onCallersThread(for: retrier) { turn in
            WaitingWrite(isOnCallersThread: true, durability) { turn.lend($0) }
        } _: {
            try activity.onThisThread { try writeNow(origin, durability, isOnCallersThread: true, body) }
        } joined: { (group: WriteGroup, turn) in
            let outcome = AwaitedCommit()
            let result: T
            do {
                defer { turn.giveBack() }
                let (made, write, number) = try WriterTurn.$represented.withValue(group.thread) {
                    try activity.onThisThread { try group.perform(origin, body) }
                }
                result = made
                group.add(write, number) { outcome.set($0) }
            }
            return (result, try outcome.wait())
        } refused: { seconds in
            throw StackLimits.busy("write", after: seconds)
        }
    }

    /// Writes in a transaction of the store, with the writes that wait for it.
    private func writeNow<T>(
        _ origin: ChangeOrigin, _ durability: WriteDurability, isOnCallersThread: Bool = false,
        _ body: (Transaction) throws -> T
    ) throws -> (result: T, commit: GroupCommitOutcome) {
        let writer = try durability.begin(store)
        // After a commit this does nothing.
        defer { writer.end() }
        coordinator.see(writer.transactionNumber)
        let (result, write) = try perform(origin, in: writer, body)
        let group = WriteGroup(self, writer, write)
        if groupCommit.writes > 1, capabilities.has(.groupCommit) {
            try gather(group, durability, isOnCallersThread)
        }
        let begin = Deadline.now()
        let commit = try group.commit()
        pace.note(count: group.count, waiting: writers.waiting, seconds: Deadline.now() - begin)
        // A read is not in the way of a write that changes nothing.
        if commit.number != nil || commit.writes > 1 { reportLongReads() }
        return (result, commit)
    }

    /// Does the work of the writes that wait, as long as the group may have more.
    private func gather(
        _ group: WriteGroup, _ durability: WriteDurability, _ isOnCallersThread: Bool
    ) throws {
        var waited = 0.0
        while group.isOpen {
            if writers.waiting == 0 {
                let pause = pace.pause(count: group.count, waited: waited)
                guard pause > 0, writers.waitForNext(seconds: pause) else { return }
                waited += pause
            }
            guard try group.mayBeJoined() else { return }
            // A group on the thread of a caller does no work of others.
            let next = writers.takeNext(as: WaitingWrite.self) { write in
                (!isOnCallersThread || write.isOnCallersThread) && durability.does(for: write.durability)
            }
            guard let next else { return }
            next.join(group)
        }
    }

    /// Does the work of one write, up to its commit.
    func perform<T>(
        _ origin: ChangeOrigin, in writer: any StoreWriter, _ body: (Transaction) throws -> T
    ) throws -> (result: T, write: FinishedWrite) {
        let nullified = validator.reachesRules ? NullifiedRecords(validator, writer) : nil
        let transaction = Transaction(writer, settings.own, checking: nullified)
        activity.isWriting(true)
        defer {
            activity.isWriting(false)
            transaction.didEnd()
        }
        let recorder = try beginRecording(writer)
        let result = try body(transaction)
        let time = clock()
        if let recorder, !hooks.isEmpty { try hooks.run(in: transaction, recorder, at: time) }
        transaction.didEnd()
        return (result, try finish(writer, recorder, origin, at: time))
    }

    /// Has the store note what it changes, if an observer, the history or a hook needs it. Also nil if the store cannot tell and
    /// only observers need it: then what the commit changes is not known.
    private func beginRecording(_ writer: any StoreWriter) throws -> ChangeRecorder? {
        let isNeeded = history.isKept || !hooks.isEmpty
        guard isNeeded || coordinator.hasListeners else { return nil }
        let recorder = ChangeRecorder()
        do {
            try writer.record(into: recorder)
        } catch let error as GranaryError where error.code == .unsupported && !isNeeded {
            return nil
        }
        return recorder
    }

    /// Adds an entry to the history if one is kept.
    private func finish(
        _ writer: any StoreWriter, _ recorder: ChangeRecorder?, _ origin: ChangeOrigin, at time: Date
    ) throws -> FinishedWrite {
        try writer.prepareCommit()
        let next = try StoredCount.next(after: writer.transactionNumber)
        let changes = recorder?.changes()
        let time = time.timeIntervalSinceReferenceDate
        if history.isKept, let changes, recorder?.isEmpty == false {
            try writer.keepHistory(
                HistoryEntry(
                    number: next, time: time, author: origin.name, changes: RecordChange.encode(changes, schema)))
            try history.trim(writer, committing: next, at: time, historyAge)
        }
        return FinishedWrite(origin: origin, next: next, changes: changes, time: time)
    }

    private func reportLongReads() {
        for (name, age) in activity.longReads(beyond: longestRead) {
            logger.warning(
                "a read has been open for long while others commit: until it ends, the store's files grow",
                metadata: [
                    "name": "\(name ?? "unnamed")", "age": "\(age)", "limit": "\(longestRead)",
                    "store": "\(store.location ?? store.kind)",
                ])
        }
        for (read, age) in foreignReads.longReads(of: store, beyond: longestRead) {
            logger.warning(
                "a read of another process has been open for long while others commit: until it ends, the store's files grow",
                metadata: [
                    "process": "\(read.process)", "transactionsBehind": "\(read.transactionsBehind)", "age": "\(age)",
                    "limit": "\(longestRead)", "store": "\(store.location ?? store.kind)",
                ])
        }
        if let age = foreignReads.longBlockage(of: store, beyond: longestRead) {
            logger.warning(
                "a read of another process keeps the store's log: until it ends, the log grows with each commit",
                metadata: ["age": "\(age)", "limit": "\(longestRead)", "store": "\(store.location ?? store.kind)"])
        }
    }
}

extension Stack {
    /// The number of writes that wait for their turn.
    package var waitingWrites: Int { writers.waiting }
}

extension Blocking where Base == Stack {
    /// Writes on the calling thread like ``Stack/write(as:durability:_:)``. Blocks until its turn comes.
    ///
    /// ```swift
    /// try stack.blocking.write { try $0.delete(Artist.self, 102) }
    /// ```
    ///
    /// - Throws: `reentrantWrite` inside a write of the same stack.
    @discardableResult public func write<T>(
        as name: String? = nil, durability: Durability? = nil, _ body: (Transaction) throws -> T
    ) throws -> T {
        try base.watchedWrite(from: ChangeOrigin(name: name), WriteDurability(asked: durability), body).result
    }
}

extension CancellationFlag {
    fileprivate func checkBeforeWrite() throws {
        if isSet { throw GranaryError(.cancelled, "The write was cancelled before its turn.") }
    }
}

/// The outcome of the commit of a group, for a thread that waits for it.
private final class AwaitedCommit: Sendable {
    private let lock = Lock()
    private let isSet = Lock.Condition()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var outcome: Result<GroupCommitOutcome, any Error>?

    func set(_ outcome: Result<GroupCommitOutcome, any Error>) {
        lock.withLock {
            self.outcome = outcome
            isSet.signal()
        }
    }

    func wait() throws -> GroupCommitOutcome {
        lock.lock()
        defer { lock.unlock() }
        while true {
            if let outcome { return try outcome.get() }
            isSet.wait(lock)
        }
    }
}
