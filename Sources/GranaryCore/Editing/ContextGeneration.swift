import Logging
import Synchronization

// Everything that a context has read or is to write belongs to the contents that the store had then. After a reset,
// other records may have the same keys. So a context that began before the reset throws in each call from then on. The
// main context goes on: its next call drops its pending changes and works on the new contents. A reset replaces the
// contents before it publishes the commit, so code that the commit wakes finds the new contents.

/// The generation of the store's contents that a context belongs to.
final class ContextGeneration: Sendable {
    private let number: Atomic<Int>
    private let coordinator: StoreCoordinator

    init(_ stack: Stack) {
        coordinator = stack.store.coordinator
        number = Atomic(coordinator.generation)
    }

    /// For changes that were read from a context earlier.
    init(_ stack: Stack, number: Int) {
        coordinator = stack.store.coordinator
        self.number = Atomic(number)
    }

    /// Its number, for what is written later.
    var current: Int { number.load(ordering: .relaxed) }

    /// Whether the store has not been reset since.
    var isNewest: Bool { number.load(ordering: .relaxed) == coordinator.generation }

    /// Declares that the context holds nothing of the earlier contents.
    func renew() { number.store(coordinator.generation, ordering: .relaxed) }
}

extension EditContext {
    /// Called before each call of the context: checks whether the store was reset.
    ///
    /// - Throws: `generationGone` after a reset, except in the main context, which drops its changes.
    func noticeReset() throws {
        if generation.isNewest { return }
        guard outlivesResets else { throw GranaryError.generationGone }
        generation.renew()
        let count = overlay.pending.count
        rollback()
        if count > 0 {
            logger.warning(
                "the store was reset: the main context has dropped its changes", metadata: ["records": "\(count)"])
        }
    }

    /// Begins to write pending changes, of this context or of contexts over it.
    ///
    /// - Returns: The number of the contents that the changes belong to.
    /// - Throws: `generationGone` if changes were made before the store was reset. This includes the main context,
    ///   which has already dropped them.
    @discardableResult func beginWritingPending() throws -> Int {
        let hadChanges = !generation.isNewest && !overlay.pending.isEmpty
        try overlay.begin()
        if hadChanges { throw GranaryError.changesGone }
        return generation.current
    }
}

extension Stack {
    /// - Throws: `generationGone` if the store was reset since its contents had this number.
    func requireGeneration(_ number: Int) throws {
        guard number == store.coordinator.generation else { throw GranaryError.generationGone }
    }
}

extension GranaryError {
    static var generationGone: GranaryError {
        GranaryError(
            .generationGone, "The store was reset since this context was made. Drop the context and make a new one.")
    }

    /// For changes of the main context.
    static var changesGone: GranaryError {
        GranaryError(
            .generationGone,
            "The store was reset since these changes were made. The main context has dropped them: make them again.")
    }
}
