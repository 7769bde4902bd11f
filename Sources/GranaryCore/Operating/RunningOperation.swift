import GranaryPlatform
import Logging

/// One read or write that is logged, measured or passed to an instrument.
// @unchecked: it is used by one thread after the other, and each handing over orders their accesses: by the caller until
// the work is queued, by the thread of the work until the closure has returned, and then by the caller, who waits for it.
@usableFromInline final class RunningOperation: @unchecked Sendable {
    let operation: StackOperation
    private let recorder: OperationRecorder
    private let token: (any Sendable)?
    private let logger: Logger
    private let store: Logger
    private let began = Stopwatch()
    private var bodyBegan: Double?
    private var bodyEnded: Double?
    private var schema: Schema?
    private var rows = 0
    private var records = 0
    /// The request that took longest so far.
    private var slowest: (request: FetchRequest, seconds: Double)?
    /// The plan of that request, if the closure took too long.
    private var plan: QueryPlan?

    init(_ operation: StackOperation, _ recorder: OperationRecorder) {
        self.operation = operation
        self.recorder = recorder
        logger = recorder.logs[operation.kind == .read ? .read : .write]
        store = recorder.logs.store
        token = recorder.instrument?.began(operation)
    }

    // MARK: On the thread of the work

    /// Runs the closure of the operation.
    func running<C: ReadContext, T>(_ context: C, _ body: (C) throws -> T) throws -> T {
        bodyBegan = began.seconds
        schema = context.schema
        context.watch = self
        if store.logLevel <= .trace { followStatements(of: context) }
        defer {
            bodyEnded = began.seconds
            explainIfSlow(context)
            context.watch = nil
        }
        guard let instrument = recorder.instrument else { return try body(context) }
        return try instrument.running(operation, token) { try body(context) }
    }

    private func followStatements(of context: ReadContext) {
        guard let reader = (try? context.reader.lowestReader()) as? any StatementFollowing else { return }
        reader.follow { [store, operation] statement in
            store.trace(
                "statement",
                metadata: [
                    "sql": "\(statement.text)", "rows": "\(statement.rows)", "time": "\(statement.duration)",
                    "in": "\(operation.name ?? operation.kind.rawValue)",
                ])
        }
    }

    private func explainIfSlow(_ context: ReadContext) {
        guard let slow = recorder.slow, let bodyBegan, let bodyEnded, let slowest, !context.isEnded else { return }
        guard Duration.seconds(bodyEnded - bodyBegan) >= slow else { return }
        // After an error of the engine there may be no plan. The warning has none then.
        plan = try? context.explain(slowest.request)
    }

    @usableFromInline func noteRow() { rows += 1 }

    /// Notes records that were written.
    func noteWritten(_ count: Int) { records += count }

    /// The rows of a request, counted.
    func following(_ request: FetchRequest, _ reader: any StoreReader) throws -> any RowCursor {
        let watch = Stopwatch()
        return WatchedCursor(try reader.rows(reader.ranked(request)), request, self, watch)
    }

    fileprivate func note(_ request: FetchRequest, _ seconds: Double, rows count: Int? = nil) {
        if seconds >= slowest?.seconds ?? 0 { slowest = (request, seconds) }
        guard store.logLevel <= .trace else { return }
        store.trace(
            "request",
            metadata: [
                "entity": "\(entityName(request))", "rows": "\(count.map { "\($0)" } ?? "none")",
                "time": "\(Duration.seconds(seconds))", "in": "\(operation.name ?? operation.kind.rawValue)",
            ])
    }

    private func entityName(_ request: FetchRequest) -> String {
        guard let schema, schema.entities.indices.contains(request.entity) else { return "" }
        return schema.entities[request.entity].name
    }

    /// Counts a request that returns no rows, such as a count.
    func timed<T>(_ request: FetchRequest, _ body: () throws -> T) rethrows -> T {
        let watch = Stopwatch()
        defer { note(request, watch.seconds) }
        return try body()
    }

    // MARK: In the task of the caller

    /// - Parameter commit: The commit of a write.
    func ended(_ error: (any Error)?, commit: GroupCommitOutcome? = nil) {
        let total = began.seconds
        var outcome = OperationOutcome()
        outcome.total = .seconds(total)
        outcome.waited = .seconds(bodyBegan ?? total)
        if let bodyBegan, let bodyEnded { outcome.body = .seconds(bodyEnded - bodyBegan) }
        outcome.rows = rows
        outcome.error = error
        if let commit, commit.number != nil, let bodyEnded {
            outcome.commit = CommitOutcome(
                duration: .seconds(total - bodyEnded), records: records, writes: commit.writes)
        }
        recorder.instrument?.ended(operation, outcome, token)
        log(outcome, commit?.number)
    }

    /// Runs all of an operation on the calling thread, and notes its end.
    ///
    /// - Parameter commit: The commit that has made a result.
    func ending<T>(_ commit: (T) -> GroupCommitOutcome? = { _ in nil }, _ body: () throws -> T) throws -> T {
        let result: T
        do {
            result = try body()
        } catch {
            ended(error)
            throw error
        }
        ended(nil, commit: commit(result))
        return result
    }

    private func log(_ outcome: OperationOutcome, _ number: UInt64?) {
        let isSlow = recorder.slow.map { outcome.total - outcome.waited >= $0 } ?? false
        let level: Logger.Level = isSlow ? .warning : .debug
        guard logger.logLevel <= level else { return }
        var metadata: Logger.Metadata = [
            "name": "\(operation.name ?? "unnamed")", "time": "\(outcome.total)", "waited": "\(outcome.waited)",
            "rows": "\(outcome.rows)",
        ]
        if let number { metadata["commit"] = "\(number)" }
        if let records = outcome.commit?.records { metadata["records"] = "\(records)" }
        if let code = outcome.errorCode { metadata["error"] = "\(code)" }
        if isSlow, let slow = recorder.slow { metadata["limit"] = "\(slow)" }
        if isSlow, let plan { metadata["plan"] = "\(plan)" }
        logger.log(
            level: level, isSlow ? "a slow \(operation.kind.rawValue)" : "\(operation.kind.rawValue)",
            metadata: metadata)
    }
}

/// A cursor whose rows and time are counted.
private final class WatchedCursor: RowCursor {
    private let base: any RowCursor
    private let request: FetchRequest
    private let operation: RunningOperation
    private let watch: Stopwatch
    private var rows = 0
    private var isOver = false

    init(_ base: any RowCursor, _ request: FetchRequest, _ operation: RunningOperation, _ watch: Stopwatch) {
        (self.base, self.request, self.operation, self.watch) = (base, request, operation, watch)
    }

    deinit { end() }

    func next() throws -> Row? {
        guard let row = try base.next() else {
            end()
            return nil
        }
        rows += 1
        operation.noteRow()
        return row
    }

    private func end() {
        guard !isOver else { return }
        isOver = true
        operation.note(request, watch.seconds, rows: rows)
    }
}

/// Makes the ``RunningOperation``s of a stack. A stack has one only if its reads and writes are logged, measured, or
/// passed to an instrument.
final class OperationRecorder: Sendable {
    let logs: StackLogs
    let slow: Duration?
    let instrument: (any StackInstrument)?
    private let kind: String

    /// Nil if nothing needs to know about reads and writes.
    init?(_ logs: StackLogs, slow: Duration?, _ instrument: (any StackInstrument)?, kind: String) {
        guard slow != nil || instrument != nil || logs.followsOperations else { return nil }
        (self.logs, self.slow, self.instrument, self.kind) = (logs, slow, instrument, kind)
    }

    func begin(_ operation: StackOperation.Kind, _ name: String?) -> RunningOperation {
        RunningOperation(StackOperation(operation, name: name, store: kind), self)
    }
}
