package import Granary
import GranaryObservability
import Hummingbird
import Logging
package import ServiceLifecycle
package import UnixSignals

/// The service: an open stack, and a server of HTTP over it.
package struct PlacesServer: Sendable {
    package let stack: Stack
    private let options: PlacesOptions
    private let metrics: MetricsRegistry
    private let granary: GranaryService

    /// Opens the store, and makes it if it does not exist.
    package init(_ options: PlacesOptions) async throws {
        self.options = options
        metrics = MetricsRegistry()
        let telemetry = StackTelemetry(metrics: metrics)
        stack = try await Stack(
            Schema(Place.self), store: options.store.provider, longestRead: .seconds(10), limits: options.limits,
            logger: options.logger, slow: .milliseconds(500), instrument: telemetry)
        stack.onError = { [logger = options.logger] uncaught in
            logger.critical("\(uncaught.work) failed: \(uncaught.error)")
        }
        granary = GranaryService(stack, telemetry: telemetry)
    }

    /// The stack and the server as one group of services. The stack is the first service, so it ends last: the server
    /// has answered its last request when the stack closes.
    ///
    /// - Parameters:
    ///   - signals: The signals of the system that end the group.
    ///   - onRunning: Called with the port when the server accepts connections.
    package func group(
        endingOn signals: [UnixSignal] = [], onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> ServiceGroup {
        let server = Application(
            router: router(),
            configuration: ApplicationConfiguration(
                address: .hostname(options.host, port: options.port), serverName: "places"),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) },
            logger: options.logger)
        return ServiceGroup(
            services: [granary, server], gracefulShutdownSignals: signals, logger: options.logger)
    }

    private func router() -> Router<PlacesContext> {
        let router = Router(context: PlacesContext.self)
        router.add(middleware: RequestMetrics(factory: metrics))
        router.add(middleware: ErrorResponses())
        ReadingRoutes(stack: stack).add(to: router)
        WritingRoutes(stack: stack).add(to: router)
        ImportRoute(stack: stack).add(to: router)
        OperatingRoutes(stack: stack, granary: granary, metrics: metrics).add(to: router)
        return router
    }
}
