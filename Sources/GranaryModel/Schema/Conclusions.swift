import GranaryPlatform

/// Results about the entities of a schema that are computed only once, because opening a store needs them several
/// times. All copies of a schema share them until one copy is changed.
// @unchecked: the variables are read and written only while `lock` is held.
final class Conclusions: @unchecked Sendable {
    private let lock = Lock()
    private var isValid = false
    private var fingerprint: String?

    /// Runs the check, unless it has succeeded before.
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
