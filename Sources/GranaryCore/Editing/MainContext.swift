import Synchronization

/// Where a stack keeps its main context.
final class MainContext: Sendable {
    @MainActor var context: EditContext? { didSet { isMade.store(true, ordering: .releasing) } }
    /// Whether the main context exists. A program without one need not give the main actor time.
    let isMade = Atomic<Bool>(false)

    init() {}
}
