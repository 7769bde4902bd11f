/// Gets the steps of each call of a context, until the context is released.
final class StepObserver {
    /// Set when the steps are no longer needed.
    let end: CancellationFlag
    let take: ([Overlay.Step]) -> Void
    private let finish: () -> Void

    init(until end: CancellationFlag, finish: @escaping () -> Void, take: @escaping ([Overlay.Step]) -> Void) {
        self.end = end
        self.finish = finish
        self.take = take
    }

    deinit { finish() }
}
