import GranaryStoreKit

extension SQLiteWriter {
    func record(into recorder: ChangeRecorder) throws {
        let session = try writing()
        guard let hook = session.changeHook() else {
            throw GranaryError.unsupported(
                .changeRecording,
                "This SQLite was built without ENABLE_PREUPDATE_HOOK, which \(Capability.changeRecording) needs. Link one that has it, or go on without."
            )
        }
        // One for each open savepoint, so that ending them cuts the recorder at their beginnings.
        for _ in savepoints { recorder.beginSavepoint() }
        self.recorder = recorder
        hook.start(recorder)
    }

    /// Runs a statement. If it throws, its effects so far are not recorded, and do not count as changes.
    @inline(__always) func noting<T>(_ session: Session, _ body: () throws -> T) throws -> T {
        let before = changes(session)
        do {
            guard let recorder else { return try body() }
            return try noting(in: recorder, body)
        } catch {
            // SQLite also counts the rows of a cascade that is denied further down, although these rows stay.
            session.uncountedChanges += changes(session) - before
            throw error
        }
    }

    private func noting<T>(in recorder: ChangeRecorder, _ body: () throws -> T) throws -> T {
        recorder.beginSavepoint()
        do {
            let result = try body()
            if let failure = session?.changeHook()?.takeFailure() {
                // The recorded changes are incomplete.
                self.failure = failure
                throw failure
            }
            recorder.releaseSavepoint()
            return result
        } catch {
            recorder.rollbackSavepoint()
            throw error
        }
    }
}
