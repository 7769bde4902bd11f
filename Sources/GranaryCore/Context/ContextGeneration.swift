import Synchronization

// What a context has read, and what it is to write, belongs to the contents that the store had then. After a reset the same keys
// may be those of other records: so a context that began before is of no use any more, and says so at each call.

/// Which contents of the store a context belongs to.
final class ContextGeneration: Sendable {
    private let number: Atomic<Int>

    init(_ stack: Stack) { number = Atomic(stack.store.coordinator.generation) }

    /// - Returns: Its number, for what is written later.
    /// - Throws: `generationGone` if the store was reset since.
    @discardableResult func check(_ stack: Stack) throws -> Int {
        let number = number.load(ordering: .relaxed)
        try stack.requireGeneration(number)
        return number
    }

    /// The context holds nothing of the earlier contents.
    func renew(_ stack: Stack) { number.store(stack.store.coordinator.generation, ordering: .relaxed) }
}

extension Stack {
    /// - Throws: `generationGone` if the store was reset since it had this number.
    func requireGeneration(_ number: Int) throws {
        guard number == store.coordinator.generation else {
            throw GranaryError(
                .generationGone,
                "The store was reset since this context was made. Drop the context and make a new one.")
        }
    }
}
