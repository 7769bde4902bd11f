package import GranaryCore
import GranaryPlatform

// A store that says once that the outcome of a commit is not known: what an engine says when the disk fails while it commits
// and again when it is asked.

extension Trial {
    /// A further stack, on a store of its own of which the next commit will not be known, each time the flag is set.
    package func uncertain(_ schema: Schema, _ flag: CommitFlag) throws -> Stack {
        let provider = subject.provider(folder + "/Uncertain.granary", .readWrite)
        return try Stack(schema, store: ForwardedProvider(base: provider) { UncertainStore($0, flag) })
    }
}

/// Set from anywhere, and taken once.
package final class CommitFlag: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var isSet = false
    /// Whether a commit whose outcome is not known holds.
    let holds: Bool
    /// What the commit throws.
    let code: GranaryError.Code

    package init(holds: Bool = true, code: GranaryError.Code = .commitOutcomeUnknown) {
        (self.holds, self.code) = (holds, code)
    }

    /// A store whose next commit fails, each time the flag is set.
    package func failing(_ store: any Store) -> any Store { UncertainStore(store, self) }

    package func set() { lock.withLock { isSet = true } }

    package func take() -> Bool {
        lock.withLock {
            defer { isSet = false }
            return isSet
        }
    }
}

// @unchecked: its property is a constant, and Sendable.
private final class UncertainStore: ForwardedStore, @unchecked Sendable {
    private let flag: CommitFlag

    init(_ base: any Store, _ flag: CommitFlag) {
        self.flag = flag
        super.init(base)
    }

    override func beginWrite() throws -> any StoreWriter { UncertainWriter(try base.beginWrite(), flag) }
}

private final class UncertainWriter: ForwardedWriter {
    private let flag: CommitFlag

    init(_ base: any StoreWriter, _ flag: CommitFlag) {
        self.flag = flag
        super.init(base)
    }

    override func commit() throws -> UInt64 {
        guard flag.take() else { return try super.commit() }
        if flag.holds { _ = try super.commit() }
        throw GranaryError(flag.code, "The disk failed while committing.")
    }
}
