/// One who is given what each call of a context has done. When it is let go, as it is with the context, there is no more.
final class StepObserver {
    /// Set when nobody listens any more.
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
