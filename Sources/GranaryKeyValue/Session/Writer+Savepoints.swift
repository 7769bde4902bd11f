import GranaryStoreKit

extension KeyValueStoreWriter {
    func beginSavepoint() throws {
        try check()
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
        state = saved
        recorder?.rollbackSavepoint()
        greatest.forget()
        session.version &+= 1
    }

    private func noSavepoint() -> GranaryError { .noSavepoint }
}
