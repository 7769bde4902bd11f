import GranaryStoreKit

extension SQLiteWriter: GroupWriting {
    func beginGroupedWrite() throws {
        let session = try writing()
        try session.connection.execute("SAVEPOINT \(SQLiteWriter.groupedWrite)")
        isGrouped = true
    }

    func endGroupedWrite() throws -> UInt64 {
        let session = try writable()
        session.endStatements()
        // SQLite itself checks them only when it commits.
        if session.connection.hasOutstandingReferences {
            throw try danglingReference(session) ?? GranaryError.dangling(of: nil)
        }
        while !deferrals.isEmpty { try endDeferral(session) }
        let number = try newestNumber(session)
        if isGrouped { try session.connection.execute("RELEASE \(SQLiteWriter.groupedWrite)") }
        transactionNumber = number
        beginNextWrite(session)
        return number
    }

    func undoGroupedWrite() throws {
        guard let session else { throw GranaryError.transactionEnded }
        guard isGrouped, !session.connection.isInAutocommit else { throw failure ?? GranaryError.rolledBack }
        session.endStatements()
        let name = SQLiteWriter.groupedWrite
        // After a failure of the disk SQLite refuses this: it has to roll back the whole transaction then.
        try session.connection.execute("ROLLBACK TO \(name); RELEASE \(name)")
        session.uncountedChanges += changes(session) - changesBefore
        failure = nil
        savepoints = []
        while !deferrals.isEmpty { try endDeferral(session) }
        if !enforcesForeignKeys { try enforceForeignKeys(true, session.connection) }
        lastKeys.removeAll()
        for layout in catalog.layouts where layout.isAssigned {
            coordinator.takeBackKeys(after: try session.lastAssignedKey(layout), of: layout.index)
        }
        beginNextWrite(session)
    }

    private func beginNextWrite(_ session: Session) {
        isGrouped = false
        changesBefore = changes(session)
        keepsHistory = false
        recorder = nil
        session.endRecording()
        session.modifications &+= 1
    }

    /// The name of the savepoint of a grouped write.
    private static let groupedWrite = "g"
}
