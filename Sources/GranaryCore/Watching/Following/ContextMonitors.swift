/// The monitors of a stack's contexts, which end when it closes.
final class ContextMonitors: StackCompanion {
    private let finishers = ChangeHooks()
    private let isClosed = CancellationFlag()

    init(of stack: Stack) {}

    /// - Parameter finish: Called when the stack closes, at once if it has, and perhaps twice. It may ``forget(_:)``.
    func add(_ finish: @escaping @Sendable () -> Void) -> UInt64 {
        let number = finishers.add(finish)
        // Looked at afterwards, so that one that comes while the stack closes is not passed over.
        if isClosed.isSet { finish() }
        return number
    }

    func forget(_ number: UInt64) { finishers.remove(number) }

    /// How many there are.
    var count: Int { finishers.count }

    func stackCloses() {
        isClosed.set()
        finishers.call()
    }
}
