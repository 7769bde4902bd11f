import Granary
import Logging
import PlacesClient
import PlacesService
import ServiceLifecycle
import Testing

/// A service that runs on a free port of this machine.
struct RunningService: Sendable {
    let server: PlacesServer
    let group: ServiceGroup
    let port: Int

    /// Opens a connection and closes it after the closure.
    func connect<T: Sendable>(_ body: (inout HTTPConnection) async throws -> T) async throws -> T {
        try await HTTPConnection.open(port: port, body)
    }

    /// Starts a service, runs the closure, and shuts the service down. Returns when it has ended.
    static func run(
        _ store: StoreAddress, logger: Logger = silent, limits: StackLimits = StackLimits(),
        _ body: @escaping @Sendable (RunningService) async throws -> Void
    ) async throws {
        var options = PlacesOptions(store: store, logger: logger)
        (options.port, options.limits) = (0, limits)
        let server = try await PlacesServer(options)
        let (ports, running) = AsyncStream<Int>.makeStream()
        let group = server.group { running.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { running.finish() }
                try await group.run()
            }
            tasks.addTask {
                // If the group ends without having listened, its task throws the error.
                guard let port = await ports.first(where: { _ in true }) else { return }
                do {
                    try await body(RunningService(server: server, group: group, port: port))
                } catch {
                    await group.triggerGracefulShutdown()
                    throw error
                }
                await group.triggerGracefulShutdown()
            }
            while let _ = try await tasks.next() {}
        }
    }

    static let silent = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
}

/// Starts a service on an empty store, and opens a connection to it.
func withService(
    on store: TestStore, _ body: @escaping @Sendable (inout HTTPConnection) async throws -> Void
) async throws {
    try await withFolder { folder in
        try await RunningService.run(store.address(in: folder)) { service in
            try await service.connect { connection in try await body(&connection) }
        }
    }
}
