import GranaryPlatform
import GranaryStoreKit

/// The turn to write: first among the threads of this process, then by a lock on `writer.lock` between processes.
///
/// LMDB's own writer mutex has no time-out and deadlocks when its owner asks again, so no thread reaches it without a
/// turn.
final class WriterGate: Sendable {
    private let turn = WriterTurn()
    private let lock = OpenFile.LockExtent.byte(0)
    /// Used only by the holder of the turn.
    private let file: OpenFile

    init(folder: String) throws {
        file = try OpenFile(folder + "/writer.lock", .writingOrCreating)
        file.copyMode(of: folder + "/data.mdb")
    }

    /// - Throws: `busy` after the time-out, `reentrantWrite` if this thread has the turn already.
    func take(seconds: Double) throws {
        let deadline = Deadline(seconds: seconds)
        try turn.take(seconds: seconds)
        do {
            guard try file.lock(.exclusive, on: lock, until: deadline) else {
                throw GranaryError.busyWriting(after: seconds)
            }
        } catch {
            turn.give()
            throw error
        }
    }

    func give() {
        file.unlock(lock)
        turn.give()
    }
}
