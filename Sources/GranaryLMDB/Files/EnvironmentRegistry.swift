import GranaryPlatform
import GranaryStoreKit

/// The environments this process has open, by the identity of their data file.
///
/// Opening one twice would break it: LMDB's locks on `lock.mdb` are POSIX locks, so closing either one would empty the
/// reader table of the other, and pages in use would be overwritten.
///
/// Stacks share an engine by the store's folder, before they come here. This registry separates environments that are
/// not opened by a store's folder: engines that a caller opens itself, and the files of two generations of one store.
enum EnvironmentRegistry {
    private static let environments = OpenStoreRegistry<Void>()

    static func claim(_ identity: FileIdentity, folder: String) throws {
        guard environments.claim(identity, ()) else {
            throw GranaryError(
                .alreadyOpen, "\(folder) is open in this process already. Share the store that has it open.")
        }
    }

    static func release(_ identity: FileIdentity) { environments.release(identity) { _ in } }
}
