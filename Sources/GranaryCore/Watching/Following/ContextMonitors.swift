/// The monitors of a stack's contexts, which end when it closes.
final class ContextMonitors: StackCompanion {
    private let finishers = ChangeHooks()
    private let isClosed = CancellationFlag()

    init(of stack: Stack) {}

    /// - Parameter finish: Called when the stack closes, or at once if it is closed; perhaps twice. It may call
    ///   ``forget(_:)``.
    func add(_ finish: @escaping @Sendable () -> Void) -> UInt64 {
        let number = finishers.add(finish)
        // Checked after adding, so that a monitor that is added while the stack closes is not missed.
        if isClosed.isSet { finish() }
        return number
    }

    func forget(_ number: UInt64) { finishers.remove(number) }

    /// The number of monitors.
    var count: Int { finishers.count }

    func stackCloses() {
        isClosed.set()
        finishers.call()
    }
}
