import ArgumentParser
import Foundation
import Granary
import Logging
import PlacesService
import ServiceLifecycle
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs the service until SIGTERM or SIGINT.")

    @Option(help: "sqlite:PATH, lmdb:PATH or memory:") var store: StoreAddress
    @Option(help: "The address to listen at.") var host = "127.0.0.1"
    @Option(help: "The port; 0 for a free one.") var port = 8080
    @Option(help: "How many reads run at once.") var readers = 8
    @Option(help: "How many reads may wait. More are refused with the status 503.") var waitingReads = 1_000
    @Option(help: "How many writes may wait. More are refused with the status 503.") var waitingWrites = 10_000
    @Option(help: "How many seconds a read or write may wait.") var wait = 5.0

    func run() async throws {
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        var options = PlacesOptions(store: store, logger: Logger(label: "places"))
        (options.host, options.port) = (host, port)
        options.limits = StackLimits(
            readers: readers, waitingReads: waitingReads, waitingWrites: waitingWrites, wait: .seconds(wait))
        let server = try await PlacesServer(options)
        let host = host
        let group = server.group(endingOn: [.sigterm, .sigint]) { port in
            // The load test reads this line.
            FileHandle.standardOutput.write(Data("listening on http://\(host):\(port)\n".utf8))
        }
        try await group.run()
    }
}

extension StoreAddress: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
