import CLMDB
public import GranaryStoreKit

extension LMDBEngine: GenerationEngine {
    /// The file with the data, `data.mdb`.
    public var location: String? { dataPath }

    public func pauseWriting() throws {
        guard let turn else { throw readOnlyError }
        try turn.take(seconds: options.busySeconds)
    }

    public func resumeWriting() { turn?.give() }

    public func retire() {
        lock.withLock {
            state.isRetired = true
            closeIfRetired()
        }
    }

    /// Closes the environment once it is retired and no transaction is open. `lock` is held.
    func closeIfRetired() {
        if state.isRetired, openTransactions == 0 { closeNow() }
    }
}
