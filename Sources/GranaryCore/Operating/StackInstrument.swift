public import GranaryPlatform

/// Observes what a stack does, for metrics and traces. Core knows no package for these: `StackTelemetry` in the product
/// `GranaryObservability` turns the events into those of swift-metrics and swift-distributed-tracing.
///
/// ```swift
/// struct SlowestWrite: StackInstrument {
///     func ended(_ operation: StackOperation, _ outcome: OperationOutcome, _ token: (any Sendable)?) {
///         if operation.kind == .write { record(outcome.total) }
///     }
/// }
/// let stack = try await Stack(schema, store: .sqlite(at: url), instrument: SlowestWrite())
/// ```
///
/// Every requirement has a default that does nothing, and so will later ones. The calls are made on the threads and
/// tasks that read and write, any number at once: they must be short, and must not use the stack. No event has a stored
/// value of a user.
public protocol StackInstrument: Sendable {
    /// A read or write is requested. Called in the task of the caller, before the work waits for its turn.
    ///
    /// - Returns: An object that belongs to this operation, such as its span; it is passed to the other calls.
    func began(_ operation: StackOperation) -> (any Sendable)?
    /// Runs the closure of a read or write, on the thread that reads or writes: for values that are bound to a thread,
    /// such as the context of a trace. It must call the body exactly once.
    func running<T>(_ operation: StackOperation, _ token: (any Sendable)?, _ body: () throws -> T) rethrows -> T
    /// A read or write has ended, with or without an error. Called once for each ``began(_:)``.
    func ended(_ operation: StackOperation, _ outcome: OperationOutcome, _ token: (any Sendable)?)
    /// `retryingConflicts` is about to run its work once more.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt that has failed, from 1.
    ///   - error: The error of that attempt.
    func retries(after attempt: Int, _ error: GranaryError)
    /// A save has found conflicts, and the merge policy has settled them.
    func settled(conflicts count: Int, of context: String?)
    /// An import has committed a part, or all, of its source.
    func imported(_ progress: ImportProgress)
}

extension StackInstrument {
    public func began(_ operation: StackOperation) -> (any Sendable)? { nil }
    public func running<T>(
        _ operation: StackOperation, _ token: (any Sendable)?, _ body: () throws -> T
    ) rethrows -> T { try body() }
    public func ended(_ operation: StackOperation, _ outcome: OperationOutcome, _ token: (any Sendable)?) {}
    public func retries(after attempt: Int, _ error: GranaryError) {}
    public func settled(conflicts count: Int, of context: String?) {}
    public func imported(_ progress: ImportProgress) {}
}

/// A read or write of a stack, as its caller requested it.
public struct StackOperation: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case read
        case write
    }

    public let kind: Kind
    /// The name that the caller gave it; for a save, the context's.
    public let name: String?
    /// The kind of the store: `sqlite`, `lmdb`, `memory`.
    public let store: String

    public init(_ kind: Kind, name: String?, store: String) {
        (self.kind, self.name, self.store) = (kind, name, store)
    }
}

/// How a read or write went.
public struct OperationOutcome: Sendable {
    /// From the request until the closure began: the time in the queue, and of the engine's begin of the transaction.
    public internal(set) var waited = Duration.zero
    /// The time of the closure.
    public internal(set) var body = Duration.zero
    /// From the request to the end, with the commit of a write.
    public internal(set) var total = Duration.zero
    /// The number of records that were read. Groups and other results without a record count as one each.
    public internal(set) var rows = 0
    /// The commit; nil for a read, and for a write that changed nothing or was rolled back.
    public internal(set) var commit: CommitOutcome?
    /// What the caller gets thrown; nil after success.
    public internal(set) var error: (any Error)?

    /// The code of the error: `busy`, `uniqueness`. `other` for errors of the program's own closures; nil after success.
    public var errorCode: String? { error.map { ($0 as? GranaryError)?.code.rawValue ?? "other" } }
}

/// The commit of a write.
public struct CommitOutcome: Sendable, Hashable {
    /// From the end of the closure until the commit was as durable as the store promises.
    public internal(set) var duration: Duration
    /// The part of `duration` in which the disk was synced; nil if the store does not measure it.
    public internal(set) var sync: Duration?
    /// The number of records that the closure inserted, updated and deleted. Those that delete rules added, and writes in
    /// SQL, are not counted.
    public internal(set) var records: Int
    /// The number of writes that shared the commit.
    public internal(set) var writes = 1
}

/// How far an import has come.
public struct ImportProgress: Sendable, Hashable {
    /// The entity of the imported records.
    public let entity: String
    /// The number of objects imported so far, with those that were left out.
    public let objects: Int
    /// The time since the import began.
    public let duration: Duration
    /// Whether the import has ended.
    public let isComplete: Bool

    /// Objects a second.
    public var rate: Double {
        let seconds = duration.inSeconds
        return seconds > 0 ? Double(objects) / seconds : 0
    }
}
