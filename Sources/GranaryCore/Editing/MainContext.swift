import Synchronization

/// Where a stack keeps its main context.
final class MainContext: Sendable {
    @MainActor var context: EditContext? { didSet { isMade.store(true, ordering: .releasing) } }
    /// Whether the main actor has anything to do with it: a program that has no main context need not give it time.
    let isMade = Atomic<Bool>(false)

    init() {}
}
