import ArgumentParser
import Foundation
import Granary
import PlacesService

struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Starts the service on each store, sends requests for some seconds, and prints what it has measured.",
        discussion: """
            The service is a process of its own on a free port of 127.0.0.1. Each connection sends its next request when it \
            has the answer to the one before. At the end each write that was acknowledged is looked for.
            """)

    @Option(help: "The stores: sqlite, lmdb, memory.") var store = ["memory", "sqlite", "lmdb"]
    @Option(help: "The folder for the files of the stores; a temporary one by default.") var folder: String?
    @Option(help: "How many connections send requests.") var connections = 32
    @Option(help: "For how many seconds.") var seconds = 5
    @Option(help: "How many of 100 requests write.") var writes = 20
    @Option(help: "How many places the store has at the beginning.") var places = 10_000

    func validate() throws {
        guard (1...1_000).contains(connections) else { throw ValidationError("Give 1 to 1000 connections.") }
        guard (1...600).contains(seconds) else { throw ValidationError("Give 1 to 600 seconds.") }
        guard (0...100).contains(writes) else { throw ValidationError("Give 0 to 100 writes.") }
        guard (1...1_000_000).contains(places) else { throw ValidationError("Give 1 to 1000000 places.") }
    }

    func run() async throws {
        let base = folder.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
        let home = base.appending(path: "places-load-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        print("\(connections) connections, \(seconds) s, \(writes) % writes, \(places) places")
        print(Figures.header)
        for kind in store {
            let path = kind == "memory" ? "" : home.appending(path: "\(kind).granary").path(percentEncoded: false)
            guard let address = StoreAddress("\(kind):\(path)") else {
                throw ValidationError("\(kind) is not a store. Give sqlite, lmdb or memory.")
            }
            let figures = try await LoadRun(
                address: address, connections: connections, seconds: seconds, writes: writes, places: places
            ).run()
            print(figures.line(kind))
        }
    }
}
