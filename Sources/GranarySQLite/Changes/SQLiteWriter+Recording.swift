import GranaryStoreKit

extension SQLiteWriter {
    func record(into recorder: ChangeRecorder) throws {
        let session = try writing()
        guard let hook = session.changeHook() else {
            throw GranaryError(
                .unsupported,
                "This SQLite was built without ENABLE_PREUPDATE_HOOK, which \(Capability.changeRecording) needs. Link one that has it, or go on without."
            )
        }
        // One for each that is open, so that ending them cuts the recorder where they began.
        for _ in savepoints { recorder.beginSavepoint() }
        self.recorder = recorder
        hook.start(recorder)
    }

    /// Runs a statement. If it throws, nothing that it did before has been noted, or counts as changed.
    @inline(__always) func noting<T>(_ session: Session, _ body: () throws -> T) throws -> T {
        let before = changes(session)
        do {
            guard let recorder else { return try body() }
            return try noting(in: recorder, body)
        } catch {
            // SQLite counts the rows of a cascade that is denied further down, though they stay.
            session.uncountedChanges += changes(session) - before
            throw error
        }
    }

    private func noting<T>(in recorder: ChangeRecorder, _ body: () throws -> T) throws -> T {
        recorder.beginSavepoint()
        do {
            let result = try body()
            if let failure = session?.changeHook()?.takeFailure() {
                // What was changed is not known whole.
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
