import GranaryStoreKit

extension Connection {
    /// Runs code in a transaction that has begun. A cancellation of this thread's work ends its statements, but not the
    /// commit or the rollback that comes after it.
    ///
    /// - Throws: `cancelled`.
    func endingWhenCancelled<T>(_ body: () throws -> T) throws -> T {
        cancellation.flag = LongWork.current?.cancellation
        watchSteps()
        defer { stopWatchingSteps() }
        do {
            let result = try body()
            try LongWork.checkCancellation()
            return result
        } catch let error as GranaryError where error.code == .cancelled {
            try LongWork.checkCancellation()
            throw error
        }
    }

    /// Runs code in one write transaction: all of it is committed, or nothing has changed.
    ///
    /// - Parameter seconds: How long the connection waits for another writer, for the error message; nil for SQLite's
    ///   own error.
    func changing<T>(busyAfter seconds: Double? = nil, _ body: () throws -> T) throws -> T {
        if let seconds {
            // If the connection has written before, its time-out is what was left for that transaction.
            setBusyTimeout(seconds)
            Library.limitSleep(seconds: seconds)
        }
        do {
            try execute("BEGIN IMMEDIATE")
        } catch let error as GranaryError where error.code == .busy {
            guard let seconds else { throw error }
            throw GranaryError.busyWriting(after: seconds)
                .causedBy(error.underlying ?? .init(engine: "sqlite", code: 5, message: ""))
        }
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            if !isInAutocommit { try? execute("ROLLBACK") }
            throw error
        }
    }
}
