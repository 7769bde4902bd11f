/// The observers that an overlay notifies after each call that changed something.
final class OverlayObservers {
    /// Called when a call has changed the shown contents.
    let hooks = ChangeHooks()
    /// Called with the steps of each call, with the states before and after, until their flag is set.
    var steps: [StepObserver] = []
    /// The last version that the observers were notified of.
    private var notifiedVersion = 0

    /// Skips a version: the observers are not notified of it.
    func pass(_ version: Int) { notifiedVersion = version }

    /// Notifies the observers at the end of a call.
    ///
    /// - Parameters:
    ///   - version: The overlay's version. If it has not changed, no observer is notified.
    ///   - done: The steps of the call.
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
