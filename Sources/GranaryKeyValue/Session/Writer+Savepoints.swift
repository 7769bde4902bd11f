import GranaryStoreKit

extension KeyValueStoreWriter {
    func beginSavepoint() throws {
        try check()
        try base.capabilities.limits.checkSavepoint(insideOf: savepoints.count - (isGrouped ? 1 : 0))
        try beginStatement()
    }

    /// Begins a savepoint for one statement. The caller's own savepoints always leave room for it.
    func beginStatement() throws {
        dropCursors()
        try engine.beginSavepoint()
        savepoints.append(state)
        recorder?.beginSavepoint()
    }

    func releaseSavepoint() throws {
        try check()
        guard !savepoints.isEmpty else { throw noSavepoint() }
        dropCursors()
        try engine.releaseSavepoint()
        savepoints.removeLast()
        recorder?.releaseSavepoint()
    }

    func rollbackSavepoint() throws {
        if session.isEnded { throw KeyValueSession.closed() }
        guard let saved = savepoints.last else { throw noSavepoint() }
        dropCursors()
        try engine.rollbackSavepoint()
        savepoints.removeLast()
        let used = state.counters
        state = saved
        for (number, counter) in used.enumerated() where counter != nil {
            base.coordinator.takeBackKeys(after: try self.counter(base.tables[number]), of: number)
        }
        recorder?.rollbackSavepoint()
        greatest.forget()
        session.version &+= 1
    }

    private func noSavepoint() -> GranaryError { .noSavepoint }
}
