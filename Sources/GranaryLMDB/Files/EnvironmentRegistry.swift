import GranaryPlatform
import GranaryStoreKit

/// The environments this process has open, by device and inode of their data file.
///
/// Opening one twice would break it: LMDB's locks on `lock.mdb` are POSIX locks, so closing either one would empty the
/// reader table under the other, and pages in use would be overwritten.
enum EnvironmentRegistry {
    struct Identity: Hashable, Sendable {
        var device: UInt64
        var inode: UInt64
    }

    // @unchecked: `open` is only touched with `lock` held.
    private final class Table: @unchecked Sendable {
        let lock = Lock()
        var open: Set<Identity> = []
    }

    private static let table = Table()

    static func claim(_ identity: Identity, folder: String) throws {
        let isNew = table.lock.withLock { table.open.insert(identity).inserted }
        guard isNew else {
            throw GranaryError(
                .alreadyOpen, "\(folder) is open in this process already. Share the store that has it open.")
        }
    }

    static func release(_ identity: Identity) {
        _ = table.lock.withLock { table.open.remove(identity) }
    }
}
