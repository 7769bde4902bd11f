internal import CLMDB
internal import GranaryCore

extension LMDBEngine: GenerationEngine {
    package func pauseWriting() throws {
        guard let turn else { throw readOnlyError }
        try turn.take(seconds: options.busyTimeout)
    }

    package func resumeWriting() { turn?.give() }

    /// Copies the data file, once its structure is known to be sound: LMDB follows every page while it copies.
    package func copyCompacted(into folder: String) throws {
        if let fault = try verify().first { throw GranaryError(.corrupt, fault) }
        try copyCompacted(to: folder + "/data.mdb")
    }

    package func retire() {
        lock.withLock {
            state.isRetired = true
            closeIfRetired()
        }
    }

    /// Closes the environment once it is retired and no transaction is open. `lock` is held.
    func closeIfRetired() {
        if state.isRetired, state.active == 0 { closeNow() }
    }
}
