/// The observers that an overlay notifies after each call that changed something.
final class OverlayObservers {
    /// Called when a call has changed what is shown.
    let hooks = ChangeHooks()
    /// Given what each call has done, before and after, until their flag is set.
    var steps: [StepObserver] = []
    /// The version that they were notified of.
    private var notifiedVersion = 0

    /// Takes a version for one that they were notified of.
    func pass(_ version: Int) { notifiedVersion = version }

    /// At the end of a call.
    ///
    /// - Parameters:
    ///   - version: The overlay's. If it is as before, nothing is to be notified of.
    ///   - done: What the call has done.
    func notify(of version: Int, _ done: @autoclosure () -> [Overlay.Step]) {
        guard version != notifiedVersion else { return }
        notifiedVersion = version
        hooks.call()
        if steps.isEmpty { return }
        let done = done()
        steps.removeAll { $0.end.isSet }
        for observer in steps { observer.take(done) }
    }
}
