import GranaryStoreKit

extension SQLiteWriter {
    func beginSavepoint() throws {
        let session = try writing()
        try store.capabilities.limits.checkSavepoint(insideOf: savepoints.count)
        try session.connection.execute("SAVEPOINT s\(savepoints.count)")
        savepoints.append(changes(session))
        recorder?.beginSavepoint()
    }

    func releaseSavepoint() throws {
        let session = try writing()
        guard !savepoints.isEmpty else { throw SQLiteWriter.noSavepoint }
        try session.connection.execute("RELEASE s\(savepoints.count - 1)")
        savepoints.removeLast()
        recorder?.releaseSavepoint()
    }

    func rollbackSavepoint() throws {
        let session = try writable()
        guard let changesBefore = savepoints.last else { throw SQLiteWriter.noSavepoint }
        let name = "s\(savepoints.count - 1)"
        try session.connection.execute("ROLLBACK TO \(name); RELEASE \(name)")
        savepoints.removeLast()
        session.uncountedChanges += changes(session) - changesBefore
        recorder?.rollbackSavepoint()
        lastKeys.removeAll()
        for layout in catalog.layouts where layout.isAssigned {
            coordinator.takeBackKeys(after: try session.lastAssignedKey(layout), of: layout.index)
        }
        if let deferral = deferrals.last, savepoints.count < deferral.depth { try endDeferral(session) }
    }

    /// The session, for statements that change no rows.
    func writing() throws -> Session {
        let session = try writable()
        session.modifications &-= 1
        return session
    }

    private static var noSavepoint: GranaryError { .noSavepoint }
}
