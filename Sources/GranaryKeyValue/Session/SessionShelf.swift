import GranaryPlatform
import GranaryStoreKit

/// Sessions whose reads have ended, for the next reads of some of the threads: a session has working memory and a reader of the
/// engine, which are not made anew.
///
/// A session is on the shelf, or with one reader: the thread that took it has it alone until it is put back.
final class SessionShelf: Sendable {
    /// More reads at once make sessions of their own.
    private static let most = 4

    private let lock = Lock()
    // Read and written only while `lock` is held. No access lasts longer, so accesses need not be checked for overlaps.
    @exclusivity(unchecked) nonisolated(unsafe) private var idle: [KeyValueSession] = []
    private let end = CacheLines()

    func take() -> KeyValueSession? { lock.withLock { idle.popLast() } }

    func putBack(_ session: KeyValueSession) {
        lock.withLock {
            if idle.count < SessionShelf.most { idle.append(session) }
        }
    }
}
