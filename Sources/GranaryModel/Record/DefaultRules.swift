import Synchronization
import GranaryPlatform

/// Finds out which record types have no rules of their own: those whose ``Record/validate()`` is the one that every record has.
/// A save need not make records of what it writes for them.
///
/// Swift cannot say whether a type has a function of its own. So the one that every record has says when it runs for a type,
/// while anybody wants to know; in all other calls it costs one look at a number.
package enum DefaultRules {
    /// How many threads want to know.
    private static let listeners = Atomic<Int>(0)
    private static let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private static var types: Set<ObjectIdentifier> = []

    /// Called by the function that every record has.
    static func ran(for type: any Record.Type) {
        guard listeners.load(ordering: .relaxed) > 0 else { return }
        lock.withLock { _ = types.insert(ObjectIdentifier(type)) }
    }

    /// Validates a record.
    ///
    /// - Returns: Whether its type has rules of its own.
    /// - Throws: What the record throws.
    package static func validate<R: Record>(_ record: R) throws -> Bool {
        listeners.add(1, ordering: .relaxed)
        defer { listeners.subtract(1, ordering: .relaxed) }
        try record.validate()
        return lock.withLock { !types.contains(ObjectIdentifier(R.self)) }
    }
}
