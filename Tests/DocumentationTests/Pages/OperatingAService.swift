import Foundation
import Granary
import GranaryObservability
import GranarySQLite
import Logging
import ServiceLifecycle

/// Opens the stack of a service, with logs, metrics and traces.
func openForService(_ url: URL, _ logger: Logger, _ telemetry: StackTelemetry) async throws -> Stack {
    let stack = try await Stack(
        Schema(Artist.self, Song.self), store: .sqlite(at: url), longestRead: .seconds(10), logger: logger,
        slow: .milliseconds(200), instrument: telemetry)
    stack.onError = { uncaught in logger.critical("\(uncaught.work) failed") }
    return stack
}

/// Answers a request: lines of the log have the number of the request.
func top(_ stack: Stack, request: String) async throws -> [Artist] {
    try await withLogger(mergingMetadata: ["request": "\(request)"]) { _ in
        try await stack.read(as: "top artists") {
            try $0.fetch(Artist.where { $0.rating >= 4.5 }.sorted(by: \.name).limit(20))
        }
    }
}

/// The status of HTTP, and a line, for the probe of a load balancer.
func answerHealthCheck(of stack: Stack) async -> (status: Int, line: String) {
    do {
        let health = try await stack.health()
        let oldest = health.gauges.oldestRead.map { "\($0)" } ?? "none"
        let line = "reading \(health.reading), writing \(health.writing), oldest read \(oldest)"
        return (health.isHealthy ? 200 : 503, line)
    } catch {
        return (503, "closed")
    }
}

/// Opens the stack of a service that answers in seconds or not at all.
func openLimited(_ url: URL) async throws -> Stack {
    let limits = StackLimits(readers: 8, waitingReads: 1_000, waitingWrites: 10_000, wait: .seconds(5))
    return try await Stack(Schema(Artist.self, Song.self), store: .sqlite(at: url), limits: limits)
}

/// Runs a server until it gets the signal to end, and then closes the stack.
func run(_ server: some Service, with stack: Stack, _ telemetry: StackTelemetry, _ logger: Logger) async throws {
    let group = ServiceGroup(
        services: [GranaryService(stack, telemetry: telemetry), server], gracefulShutdownSignals: [.sigterm],
        logger: logger)
    try await group.run()
}
