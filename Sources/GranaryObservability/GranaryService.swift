public import GranaryCore
public import ServiceLifecycle

/// A stack as a service of swift-service-lifecycle: closes the stack when the group of services shuts down, and collects
/// its gauges until then.
///
/// ```swift
/// let granary = GranaryService(stack, telemetry: telemetry)
/// let group = ServiceGroup(services: [granary, server], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
///
/// **Put it first.** A group shuts its services down in the reverse order, each after the next one has ended. So the first
/// service ends last: the server has answered its last request when the stack is closed. Closing waits for reads and
/// writes that still run, and makes the end of the process safe: all commits are as durable as the store promises in any
/// case.
///
/// If the task of the group is cancelled, the stack is closed too, and reads and writes that begin later throw `closed`.
/// A stack that the program has closed itself is no error.
public struct GranaryService: Service {
    private let stack: Stack
    private let telemetry: StackTelemetry?
    private let interval: Duration

    /// - Parameters:
    ///   - stack: The stack, which is open.
    ///   - telemetry: Gets the gauges of the stack; nil for none.
    ///   - interval: The time between two collections of the gauges.
    public init(_ stack: Stack, telemetry: StackTelemetry? = nil, every interval: Duration = .seconds(10)) {
        (self.stack, self.telemetry, self.interval) = (stack, telemetry, interval)
    }

    /// Runs until the group shuts down or the task is cancelled; then closes the stack.
    ///
    /// - Throws: What closing the stack throws.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat { collect() } while (try? await Task.sleep(for: interval)) != nil
        }
        // Closing runs on a thread of its own, so that a cancelled task waits for it, too.
        try await stack.close()
    }

    /// Sets the gauges of the stack now, for example just before metrics are exported.
    public func collect() { telemetry?.set(stack.gauges(), store: stack.storeKind) }
}
