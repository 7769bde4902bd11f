import Foundation
import Granary
import HTTPTypes
import Logging
import PlacesClient
import PlacesService

/// A run on one store: the service is started, filled, and asked; then what it has acknowledged is looked for.
struct LoadRun: Sendable {
    var address: StoreAddress
    var connections: Int
    var seconds: Int
    var writes: Int
    var places: Int

    func run() async throws -> Figures {
        let service = try ServiceProcess(store: "\(address)")
        defer { service.kill() }
        let port = service.port
        try await fill(port)
        var figures = Figures()
        let start = ContinuousClock.now
        let deadline = start + .seconds(seconds)
        try await withThrowingTaskGroup(of: Figures.self) { group in
            for number in 0..<connections {
                group.addTask {
                    var client = LoadClient(number: number, writes: writes, places: places)
                    return try await client.run(port: port, until: deadline)
                }
            }
            for try await part in group { figures.add(part) }
        }
        figures.elapsed = ContinuousClock.now - start
        try await check(figures.written, port)
        try service.end()
        try await checkFile(figures)
        return figures
    }

    private func fill(_ port: Int) async throws {
        let lines = (1...places).map { LoadClient.body(id: Int64($0), name: "Place \($0)", number: $0) }
        let reply = try await HTTPConnection.open(port: port) { connection in
            try await connection.send(.post, "/import", lines.joined(separator: "\n"))
        }
        guard reply.status == 200, reply.body.contains("\"inserted\":\(places)") else {
            throw LoadFailure("The import was answered with \(reply.status): \(reply.body)")
        }
    }

    /// Asks for each place that was written: it has the name and the version of the last answer.
    private func check(_ written: [Int64: Figures.Written], _ port: Int) async throws {
        try await HTTPConnection.open(port: port) { connection in
            for (id, expected) in written {
                let reply = try await connection.send(.get, "/places/\(id)")
                guard reply.status == 200, try LoadClient.written(reply.body).written == expected else {
                    throw LoadFailure("Place \(id) was acknowledged as \(expected), and is now: \(reply.body)")
                }
            }
        }
    }

    /// Opens the store again after the end of the service: no record is missing, and there is none that was not acknowledged.
    private func checkFile(_ figures: Figures) async throws {
        guard address != .memory else { return }
        let stack = try await Stack(Schema(Place.self), store: address.provider)
        let count = try await stack.read { try $0.count(Place.all) }
        try await stack.close()
        let expected = places + figures.written.keys.count { $0 > places }
        guard count == expected else { throw LoadFailure("\(expected) places were written, and \(count) are kept.") }
    }
}
