public import CoreMetrics
public import GranaryCore
public import Tracing

/// Turns the events of a stack into metrics of swift-metrics and spans of swift-distributed-tracing.
///
/// ```swift
/// let stack = try await Stack(schema, store: .sqlite(at: url), instrument: StackTelemetry())
/// ```
///
/// | metric | kind | dimensions | meaning |
/// |---|---|---|---|
/// | `granary_operations` | counter | `kind`, `name`, `store`, `outcome` | reads and writes; `outcome` is `ok` or the code of the error: `busy`, `mergeConflict` |
/// | `granary_operation_duration` | timer | `kind`, `name`, `store` | from the request to the end |
/// | `granary_operation_wait` | timer | `kind`, `store` | the part before the closure began |
/// | `granary_rows_read` | counter | `kind`, `store` | records that were read |
/// | `granary_commits` | counter | `store` | writes that were committed |
/// | `granary_commit_records` | counter | `store` | records that they wrote |
/// | `granary_commit_duration` | timer | `store` | from the end of the closure until the commit was durable |
/// | `granary_commit_sync` | timer | `store` | the sync of the disk, where the store measures it |
/// | `granary_commit_writes` | recorder | `store` | writes that shared a commit |
/// | `granary_retries` | counter | `error` | repeated attempts of `retryingConflicts` |
/// | `granary_conflicts_settled` | counter | | conflicts that a merge policy has settled |
/// | `granary_import_objects` | recorder | `entity` | objects of an import that has ended |
/// | `granary_import_rate` | recorder | `entity` | its objects a second |
///
/// ``GranaryService`` also sets the gauges of ``GranaryService/collect()``.
///
/// A read or write is a span `granary.read` or `granary.write`, a child of the span in whose task it was requested. The
/// closure runs inside the span, so spans that it begins are its children. A write has the children `granary.wait`,
/// `granary.body` and `granary.commit`. Names are dimensions: give reads and writes a fixed set of names, never one for
/// each request. No metric and no span has a stored value.
///
/// Cost: a few look-ups in the metrics factory for each read and write.
public struct StackTelemetry: StackInstrument {
    private let factory: (any MetricsFactory)?
    private let tracer: (any Tracer)?

    /// - Parameters:
    ///   - metrics: The factory of the metrics; nil for the one that `MetricsSystem` was bootstrapped with.
    ///   - tracer: The tracer; nil for the one that `InstrumentationSystem` was bootstrapped with.
    public init(metrics: (any MetricsFactory)? = nil, tracer: (any Tracer)? = nil) {
        (factory, self.tracer) = (metrics, tracer)
    }

    private var metrics: any MetricsFactory { factory ?? MetricsSystem.factory }
    private var spans: any Tracer { tracer ?? InstrumentationSystem.tracer }

    // MARK: Reads and writes

    public func began(_ operation: StackOperation) -> (any Sendable)? {
        let begin = DefaultTracerClock.now.nanosecondsSinceEpoch
        let span = spans.startSpan(
            "granary.\(operation.kind.rawValue)", context: .current ?? .topLevel, ofKind: .client,
            at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: begin))
        span.attributes["db.system.name"] = operation.store
        if let name = operation.name { span.attributes["db.operation.name"] = name }
        return OperationSpan(span: span, begin: begin)
    }

    public func running<T>(
        _ operation: StackOperation, _ token: (any Sendable)?, _ body: () throws -> T
    ) rethrows -> T {
        guard let span = (token as? OperationSpan)?.span else { return try body() }
        return try InstrumentationContext.withValue(span.context, operation: body)
    }

    public func ended(_ operation: StackOperation, _ outcome: OperationOutcome, _ token: (any Sendable)?) {
        measure(operation, outcome)
        (token as? OperationSpan)?.end(operation, outcome, spans)
    }

    private func measure(_ operation: StackOperation, _ outcome: OperationOutcome) {
        let store = ("store", operation.store)
        let kind = ("kind", operation.kind.rawValue)
        let name = ("name", operation.name ?? "unnamed")
        count("granary_operations", 1, [kind, name, store, ("outcome", outcome.errorCode ?? "ok")])
        time("granary_operation_duration", outcome.total, [kind, name, store])
        time("granary_operation_wait", outcome.waited, [kind, store])
        if outcome.rows > 0 { count("granary_rows_read", outcome.rows, [kind, store]) }
        guard let commit = outcome.commit else { return }
        count("granary_commits", 1, [store])
        count("granary_commit_records", commit.records, [store])
        time("granary_commit_duration", commit.duration, [store])
        if let sync = commit.sync { time("granary_commit_sync", sync, [store]) }
        record("granary_commit_writes", Double(commit.writes), [store])
    }

    // MARK: Other events

    public func retries(after attempt: Int, _ error: GranaryError) {
        count("granary_retries", 1, [("error", error.code.rawValue)])
    }

    public func settled(conflicts count: Int, of context: String?) {
        self.count("granary_conflicts_settled", count, [])
    }

    public func imported(_ progress: ImportProgress) {
        guard progress.isComplete else { return }
        record("granary_import_objects", Double(progress.objects), [("entity", progress.entity)])
        record("granary_import_rate", progress.rate, [("entity", progress.entity)])
    }

    /// Sets the gauges of what a stack is doing at this moment.
    ///
    /// ```swift
    /// telemetry.set(stack.gauges(), store: stack.storeKind)
    /// ```
    ///
    /// | gauge | meaning |
    /// |---|---|
    /// | `granary_open_reads`, `granary_waiting_reads`, `granary_waiting_writes` | as in `StackGauges` |
    /// | `granary_oldest_read_seconds` | 0 if no read is overtaken by commits |
    /// | `granary_file_bytes`, `granary_log_bytes` | for stores with files |
    public func set(_ gauges: StackGauges, store: String) {
        func set(_ label: String, _ value: Double) {
            Gauge(label: label, dimensions: [("store", store)], factory: metrics).record(value)
        }
        set("granary_open_reads", Double(gauges.openReads))
        set("granary_waiting_reads", Double(gauges.waitingReads))
        set("granary_waiting_writes", Double(gauges.waitingWrites))
        set("granary_oldest_read_seconds", gauges.oldestRead?.seconds ?? 0)
        if let bytes = gauges.fileBytes { set("granary_file_bytes", Double(bytes)) }
        if let bytes = gauges.logBytes { set("granary_log_bytes", Double(bytes)) }
    }

    private func count(_ label: String, _ amount: Int, _ dimensions: [(String, String)]) {
        Counter(label: label, dimensions: dimensions, factory: metrics).increment(by: amount)
    }

    private func time(_ label: String, _ duration: Duration, _ dimensions: [(String, String)]) {
        Timer(label: label, dimensions: dimensions, factory: metrics).recordNanoseconds(duration.nanoseconds)
    }

    private func record(_ label: String, _ value: Double, _ dimensions: [(String, String)]) {
        Recorder(label: label, dimensions: dimensions, factory: metrics).record(value)
    }
}

extension Duration {
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
    fileprivate var seconds: Double { Double(nanoseconds) / 1e9 }
}
