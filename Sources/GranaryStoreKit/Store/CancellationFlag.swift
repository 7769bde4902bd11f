import Synchronization

/// Set once, from any thread, to stop a read that is running on another.
public final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    /// For reads that nothing cancels.
    package static let never = CancellationFlag()

    public init() {}

    public var isSet: Bool { flag.load(ordering: .relaxed) }
    public func set() { flag.store(true, ordering: .relaxed) }

    /// - Throws: `cancelled` once the flag is set.
    public func check() throws {
        if isSet { throw GranaryError(.cancelled, "The read was cancelled.") }
    }
}
