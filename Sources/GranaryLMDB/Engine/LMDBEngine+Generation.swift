import CLMDB
import GranaryStoreKit

extension LMDBEngine: GenerationEngine {
    package func pauseWriting() throws {
        guard let turn else { throw readOnlyError }
        try turn.take(seconds: options.busyTimeout)
    }

    package func resumeWriting() { turn?.give() }

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
