import GranaryCore
import GranaryMemory
import GranaryObservability
import InMemoryTracing
import Logging
import MetricsTestKit
import ServiceLifecycle
import Testing
import Tracing

struct StackTelemetryTests {
    private func stack(_ metrics: TestMetrics, _ tracer: InMemoryTracer) throws -> Stack {
        try Stack(
            Schema(Leaf.self), store: .inMemory, instrument: StackTelemetry(metrics: metrics, tracer: tracer))
    }

    @Test func `reads and writes are counted and timed by kind, name and outcome`() async throws {
        let (metrics, tracer) = (TestMetrics(), InMemoryTracer())
        let stack = try stack(metrics, tracer)
        try await stack.write(as: "grow") { tx in for id in Int64(1)...3 { try tx.insert(Leaf(id)) } }
        _ = try await stack.read(as: "look") { try $0.fetch(Leaf.all) }
        _ = try? stack.blocking.write(as: "grow") { try $0.insert(Leaf(1)) }
        func operations(_ kind: String, _ name: String, _ outcome: String) -> Int64 {
            metrics.counterTotal(
                label: "granary_operations",
                dimensions: [("kind", kind), ("name", name), ("store", "memory"), ("outcome", outcome)])
        }
        #expect(operations("write", "grow", "ok") == 1 && operations("write", "grow", "uniqueness") == 1)
        #expect(operations("read", "look", "ok") == 1)
        #expect(metrics.counterTotal(label: "granary_rows_read") == 3)
        #expect(metrics.counterTotal(label: "granary_commits") == 1)
        #expect(metrics.counterTotal(label: "granary_commit_records") == 3)
        let times = metrics.timers(label: "granary_operation_duration").flatMap(\.values)
        #expect(times.count == 3 && times.allSatisfy { $0 >= 0 })
        #expect(metrics.timers(label: "granary_commit_duration").flatMap(\.values).count == 1)
        #expect(metrics.recorders(label: "granary_commit_writes").flatMap(\.values) == [1])
        try await stack.close()
    }

    @Test func `a write is a span of its parts, a child of the request's, and the parent of what its closure begins`()
        async throws
    {
        let tracer = InMemoryTracer()
        let stack = try stack(TestMetrics(), tracer)
        let request = tracer.startSpan("request", context: .topLevel)
        try await InstrumentationContext.withValue(request.context) {
            try await stack.write(as: "grow") { tx in
                tracer.startSpan("inner").end()
                try tx.insert(Leaf(1))
            }
        }
        request.end()
        let spans = tracer.finishedSpans
        let write = try #require(spans.first { $0.operationName == "granary.write" })
        #expect(write.parentSpanID == request.spanID)
        let parts = spans.filter { $0.parentSpanID == write.spanID }.map(\.operationName)
        #expect(Set(parts) == ["inner", "granary.wait", "granary.body", "granary.commit"])
        for part in spans where part.parentSpanID == write.spanID && part.operationName != "inner" {
            #expect(part.startInstant.nanosecondsSinceEpoch >= write.startInstant.nanosecondsSinceEpoch)
            #expect(part.endInstant.nanosecondsSinceEpoch <= write.endInstant.nanosecondsSinceEpoch)
        }
        #expect(write.status == nil)
        #expect(tracer.activeSpans.isEmpty)
        try await stack.close()
    }

    @Test func `a failed read is a span with the code, also if it never began`() async throws {
        let tracer = InMemoryTracer()
        let stack = try stack(TestMetrics(), tracer)
        try await stack.close()
        await #expect(throws: GranaryError.self) { try await stack.read(as: "late") { _ in } }
        let span = try #require(tracer.finishedSpans.first)
        #expect(span.operationName == "granary.read" && span.status?.code == .error)
        #expect(span.status?.message == "closed")
    }

    @Test func `retries, settled conflicts and gauges have metrics`() async throws {
        let metrics = TestMetrics()
        let telemetry = StackTelemetry(metrics: metrics, tracer: InMemoryTracer())
        let stack = try await Stack(Schema(Leaf.self), store: .inMemory, instrument: telemetry)
        try await stack.write { _ = try $0.insert(Leaf(1)) }
        var attempts = 0
        try await retryingConflicts {
            attempts += 1
            let isFirst = attempts == 1
            try await stack.write { tx in
                if isFirst { throw GranaryError(.busy, "Busy, for this test.") }
                try tx.insert(Leaf(2))
            }
        }
        #expect(metrics.counterTotal(label: "granary_retries") == 1)
        let (first, second) = (try stack.makeContext(), try stack.makeContext())
        second.mergePolicy = .contextWins
        try first.update(Leaf.self, 1) { $0.size = 1 }
        try second.update(Leaf.self, 1) { $0.size = 2 }
        try first.blocking.save()
        try second.blocking.save()
        #expect(metrics.counterTotal(label: "granary_conflicts_settled") == 1)
        telemetry.set(stack.gauges(), store: stack.storeKind)
        #expect(try metrics.expectGauge("granary_open_reads", [("store", "memory")]).lastValue == 0)
        try await stack.close()
    }
}

struct GranaryServiceTests {
    @Test(.timeLimit(.minutes(5)))
    func `the stack is closed after the services behind it, when the group shuts down`() async throws {
        let metrics = TestMetrics()
        let telemetry = StackTelemetry(metrics: metrics, tracer: InMemoryTracer())
        let stack = try await Stack(Schema(Leaf.self), store: .inMemory)
        let group = ServiceGroup(
            configuration: .init(
                services: [
                    .init(service: GranaryService(stack, telemetry: telemetry)),
                    .init(service: Server(stack: stack), successTerminationBehavior: .gracefullyShutdownGroup),
                ], logger: .init(label: "test")))
        try await group.run()
        await #expect(throws: GranaryError.self) { try await stack.read { _ in } }
        #expect(!metrics.recorders(label: "granary_open_reads").isEmpty)
    }

    @Test func `a cancelled task closes the stack, too`() async throws {
        let stack = try await Stack(Schema(Leaf.self), store: .inMemory)
        let service = Task { try await GranaryService(stack).run() }
        service.cancel()
        try await service.value
        await #expect(throws: GranaryError.self) { try await stack.read { _ in } }
    }

    /// A server whose last request is answered while the group shuts down.
    private struct Server: Service {
        let stack: Stack

        func run() async throws {
            try await stack.write { _ = try $0.insert(Leaf(1)) }
            #expect(try await stack.read { try $0.count(Leaf.all) } == 1)
        }
    }
}
