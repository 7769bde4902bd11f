import GranaryPlatform

/// What has been found out about the entities of a schema, so that it is found out once: a store that is opened asks several
/// times. All copies of a schema share it, until one is changed.
// @unchecked: the variables are read and written only while `lock` is held.
final class Conclusions: @unchecked Sendable {
    private let lock = Lock()
    private var isValid = false
    private var fingerprint: String?

    /// Checks them, unless they were found right before.
    func validating(_ check: () throws -> Void) rethrows {
        if lock.withLock({ isValid }) { return }
        try check()
        lock.withLock { isValid = true }
    }

    func fingerprint(_ make: () -> String) -> String {
        if let known = lock.withLock({ fingerprint }) { return known }
        let made = make()
        lock.withLock { fingerprint = made }
        return made
    }
}
