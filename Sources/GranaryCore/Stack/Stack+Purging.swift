import Logging

extension Stack {
    /// Deletes the records that meet their types' ``Record/staleCondition``, following the delete rules, in one
    /// transaction. The conditions are evaluated anew.
    ///
    /// ```swift
    /// let deleted = try await stack.purgeStale()
    /// ```
    ///
    /// - Returns: The number of deleted records, by entity; entities without stale records are left out.
    /// - Throws: `deniedDeletion` if a reference with the rule `deny` would dangle: then nothing is deleted.
    @discardableResult public func purgeStale() async throws -> [String: Int] {
        let types = recordTypes
        return try await write { try Stack.purge(types, $0) }
    }

    fileprivate static func purge(_ types: [any Record.Type], _ transaction: Transaction) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for type in types {
            let count = try purge(type, transaction)
            if count > 0 { counts[type.entityName] = count }
        }
        return counts
    }

    private static func purge<R: Record>(_ type: R.Type, _ transaction: Transaction) throws -> Int {
        guard let condition = R.staleCondition else { return 0 }
        return try R.all.where(condition).deleteAll(in: transaction)
    }

    /// Purges at once, and then after each interval until it is cancelled or the stack is released.
    ///
    /// Errors are logged, and the next purge tries again.
    @discardableResult public func purgeStale(every interval: Duration) -> PurgeSchedule {
        PurgeSchedule(self) { purge in
            while !Task.isCancelled, await purge() { try await Task.sleep(for: interval) }
        }
    }

    /// Purges each time a signal arrives, for example when the app goes to the background or a timer of the program
    /// fires.
    ///
    /// Ends with the signals, or when it is cancelled or the stack is released.
    @discardableResult public func purgeStale<Signals: AsyncSequence & Sendable>(
        on signals: Signals
    ) -> PurgeSchedule {
        PurgeSchedule(self) { purge in
            for try await _ in signals { guard await purge() else { return } }
        }
    }
}

/// A repeated purge. It does not keep the stack alive, and need not be kept itself.
public struct PurgeSchedule: Sendable {
    private let task: Task<Void, any Error>

    init(_ stack: Stack, _ run: @escaping @Sendable (_ purge: @Sendable () async -> Bool) async throws -> Void) {
        let (logger, report) = (stack.logger, ErrorReport(stack: stack))
        task = Task { [weak stack] in
            try await run { [weak stack] in
                guard let stack else { return false }
                do {
                    let counts = try await stack.purgeStale()
                    if !counts.isEmpty { logger.info("stale records purged", metadata: ["deleted": "\(counts)"]) }
                } catch let error as GranaryError where error.code == .closed {
                    return false
                } catch {
                    report.send(error, of: .purging, "purging stale records failed")
                }
                return true
            }
        }
    }

    /// Stops the purges. A running purge is completed.
    public func cancel() { task.cancel() }

    /// Waits until the purges have ended: they were cancelled, the signals have ended, or the stack is gone.
    public func finished() async { _ = await task.result }
}

extension Blocking where Base == Stack {
    /// Deletes stale records: like ``Stack/purgeStale()``.
    @discardableResult public func purgeStale() throws -> [String: Int] {
        try write { try Stack.purge(base.recordTypes, $0) }
    }
}
