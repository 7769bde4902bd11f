import Synchronization
import GranaryPlatform

/// Finds out which record types have no rules of their own: their ``Record/validate()`` is the default one. A save need
/// not make records of the rows that it writes for them.
///
/// Swift cannot tell whether a type has its own implementation. So the default implementation reports the type that it
/// runs for, as long as a thread is listening. At other times a call costs one look at a number.
package enum DefaultRules {
    /// The number of listening threads.
    private static let listeners = Atomic<Int>(0)
    private static let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private static var types: Set<ObjectIdentifier> = []

    /// Called by the default implementation.
    static func ran(for type: any Record.Type) {
        guard listeners.load(ordering: .relaxed) > 0 else { return }
        lock.withLock { _ = types.insert(ObjectIdentifier(type)) }
    }

    /// Validates a record.
    ///
    /// - Returns: Whether its type has rules of its own.
    /// - Throws: What the record's rules throw.
    package static func validate<R: Record>(_ record: R) throws -> Bool {
        listeners.add(1, ordering: .relaxed)
        defer { listeners.subtract(1, ordering: .relaxed) }
        try record.validate()
        return lock.withLock { !types.contains(ObjectIdentifier(R.self)) }
    }
}
