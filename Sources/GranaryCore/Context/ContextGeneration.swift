import Synchronization

// What a context has read, and what it is to write, belongs to the contents that the store had then. After a reset the same keys
// may be those of other records: so a context that began before is of no use any more, and says so at each call.

/// Which contents of the store a context belongs to.
final class ContextGeneration: Sendable {
    private let number: Atomic<Int>

    init(_ stack: Stack) { number = Atomic(stack.store.coordinator.generation) }

    /// - Throws: `generationGone` if the store was reset since.
    func check(_ stack: Stack) throws {
        guard number.load(ordering: .relaxed) == stack.store.coordinator.generation else {
            throw GranaryError(
                .generationGone,
                "The store was reset since this context was made. Drop the context and make a new one.")
        }
    }

    /// The context holds nothing of the earlier contents.
    func renew(_ stack: Stack) { number.store(stack.store.coordinator.generation, ordering: .relaxed) }
}
