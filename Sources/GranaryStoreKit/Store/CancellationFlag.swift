import Synchronization

/// Set once, from any thread, to stop a read that is running on another.
public final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    /// For reads that nothing cancels.
    package static let never = CancellationFlag()

    /// Another flag that also stops the read.
    private let other: CancellationFlag?

    public init() { other = nil }
    package init(also other: CancellationFlag) { self.other = other }

    public var isSet: Bool { flag.load(ordering: .relaxed) || other?.isSet ?? false }
    public func set() { flag.store(true, ordering: .relaxed) }

    /// - Throws: `cancelled` once the flag is set.
    public func check() throws {
        if isSet { throw GranaryError.readCancelled }
    }
}
