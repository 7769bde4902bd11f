import GranaryStoreKit

extension Connection {
    /// Runs code in a transaction that has begun. A cancellation of the work of this thread ends its statements, but not the
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

    /// Runs code in one transaction that writes: all that it does is committed, or nothing has changed.
    ///
    /// - Parameter seconds: How long the connection waits for another writer, which the error then says; nil for the error that
    ///   SQLite gives.
    func changing<T>(busyAfter seconds: Double? = nil, _ body: () throws -> T) throws -> T {
        if let seconds {
            // A connection that wrote before waits for as long as was left to that transaction.
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
