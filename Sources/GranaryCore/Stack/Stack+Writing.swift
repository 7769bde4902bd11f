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
    /// Returns when the commit has the durability that the store was opened with. If the task is cancelled before its
    /// turn comes, it throws `cancelled`. After that the write runs to its end.
    ///
    /// - Parameters:
    ///   - name: The name of the writer, for observers and the history.
    ///   - body: The work. It gets the transaction.
    @discardableResult public func write<T: Sendable>(
        as name: String? = nil, _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> T {
        try await watchedWrite(from: ChangeOrigin(name: name), body).result
    }

    /// Writes, and also returns the number of the commit; nil if nothing was written.
    func writeNumbered<T: Sendable>(
        from origin: ChangeOrigin, _ body: @escaping @Sendable (Transaction) throws -> T
    ) async throws -> (result: T, number: UInt64?) {
        let cancellation = CancellationFlag()
        let retrier = Retrier.current
        retrier?.note(self)
        try activity.enter()
        return try await withTaskCancellationHandler {
            try await writers.value(for: retrier) {
                // On this thread, as for reads.
                defer { self.activity.leave() }
                guard !cancellation.isSet else {
                    throw GranaryError(.cancelled, "The write was cancelled before its turn.")
                }
                return try self.activity.onThisThread { try self.writeNow(origin, body) }
            }
        } onCancel: {
            cancellation.set()
        }
    }

    func writeNumbered<T>(
        from origin: ChangeOrigin, _ body: (Transaction) throws -> T
    ) throws -> (result: T, number: UInt64?) {
        let retrier = Retrier.current
        retrier?.note(self)
        try activity.enter()
        defer { activity.leave() }
        try activity.refuseWriteInsideWrite(currentThread())
        return try writers.onCallersThread(for: retrier) { try activity.onThisThread { try writeNow(origin, body) } }
    }

    private func writeNow<T>(
        _ origin: ChangeOrigin, _ body: (Transaction) throws -> T
    ) throws -> (result: T, number: UInt64?) {
        let writer = try store.beginWrite()
        let nullified = validator.reachesRules ? NullifiedRecords(validator, writer) : nil
        let transaction = Transaction(writer, schema: schema, types: types, checking: nullified)
        activity.isWriting(true)
        defer {
            activity.isWriting(false)
            transaction.end()
        }
        let recorder = try beginRecording(writer)
        let result = try body(transaction)
        let time = clock()
        if let recorder, !hooks.isEmpty { try hooks.run(in: transaction, recorder, at: time) }
        transaction.didEnd()
        let before = writer.transactionNumber
        let number = try commit(writer, recorder, origin, at: time)
        return (result, number == before ? nil : number)
    }

    /// Has the store note what it changes, if an observer, the history or a hook needs it. Also nil if the store cannot tell and
    /// only observers need it: then what the commit changes is not known.
    private func beginRecording(_ writer: any StoreWriter) throws -> ChangeRecorder? {
        store.coordinator.see(writer.transactionNumber)
        let isNeeded = history.isKept || !hooks.isEmpty
        guard isNeeded || store.coordinator.hasListeners else { return nil }
        let recorder = ChangeRecorder()
        do {
            try writer.record(into: recorder)
        } catch let error as GranaryError where error.code == .unsupported && !isNeeded {
            return nil
        }
        return recorder
    }

    /// Commits, adds an entry to the history if one is kept, and notifies listeners.
    private func commit(
        _ writer: any StoreWriter, _ recorder: ChangeRecorder?, _ origin: ChangeOrigin, at time: Date
    ) throws -> UInt64 {
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
        try (store as? SharedStore)?.requirePlace()
        store.coordinator.announce(next)
        let number: UInt64
        do {
            number = try writer.commit()
        } catch {
            store.coordinator.withdraw(next)
            historyAge.forget()
            throw error
        }
        guard number == next else {
            store.coordinator.withdraw(next)
            return number
        }
        store.coordinator.publish(
            ChangeSet(transactionNumber: number, origin: origin, changes: changes, time: time))
        reportLongReads()
        return number
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

extension Blocking where Base == Stack {
    /// Writes on the calling thread like ``Stack/write(as:_:)``. Blocks until its turn comes.
    ///
    /// ```swift
    /// try stack.blocking.write { try $0.delete(Artist.self, 102) }
    /// ```
    ///
    /// - Throws: `reentrantWrite` inside a write of the same stack.
    @discardableResult public func write<T>(as name: String? = nil, _ body: (Transaction) throws -> T) throws -> T {
        try base.watchedWrite(from: ChangeOrigin(name: name), body).result
    }
}
