import Granary
import HTTPTypes
import InMemoryLogging
import Logging
import PlacesClient
import PlacesService
import ServiceLifecycle
import Testing

@Suite struct OperatingTests {
    struct Health: Decodable {
        var isHealthy: Bool
        var reading: String
        var writing: String
        var disk: String
    }

    @Test(arguments: TestStore.allCases)
    func `a healthy service says so, and a closed stack has the status 503`(on store: TestStore) async throws {
        try await withFolder { folder in
            try await RunningService.run(store.address(in: folder)) { service in
                try await service.connect { connection in
                    let health = try await connection.send(.get, "/health").read(Health.self)
                    #expect(health.isHealthy && health.reading == "works" && health.disk == "works")
                    try await service.server.stack.close()
                    let closed = try await connection.send(.get, "/health").read(Health.self, status: 503)
                    #expect(!closed.isHealthy && closed.reading == "closed")
                    // It is not the client's mistake, and waiting does not help.
                    let error = try await connection.send(.get, "/places").read(ErrorAnswer.self, status: 500).error
                    #expect(error.code == "closed" && error.message == "The service has failed.")
                }
            }
        }
    }

    @Test(arguments: TestStore.allCases)
    func `metrics count requests by route, and reads and writes by name`(on store: TestStore) async throws {
        try await withService(on: store) { connection in
            _ = try await connection.send(.post, "/places", placeBody("Lyon"))
            for id in 1...3 { _ = try await connection.send(.get, "/places/\(id)") }
            let reply = try await connection.send(.get, "/metrics")
            let lines = reply.body.split(separator: "\n")
            #expect(reply.headers[.contentType]?.hasPrefix("text/plain; version=0.0.4") == true)
            func has(_ line: String, _ place: SourceLocation = #_sourceLocation) {
                #expect(lines.contains { $0 == line }, "\(reply.body)", sourceLocation: place)
            }
            let kind = store.rawValue
            has("# TYPE http_requests_total counter")
            has("http_requests_total{method=\"GET\",route=\"/places/{id}\",status=\"200\"} 1.0")
            has("http_requests_total{method=\"GET\",route=\"/places/{id}\",status=\"404\"} 2.0")
            has("granary_operations_total{kind=\"read\",name=\"places.find\",store=\"\(kind)\",outcome=\"ok\"} 3.0")
            has("granary_commits_total{store=\"\(kind)\"} 1.0")
            has("granary_operation_duration_seconds_count{kind=\"write\",name=\"places.insert\",store=\"\(kind)\"} 1")
            has("granary_waiting_writes{store=\"\(kind)\"} 0.0")
        }
    }

    @Test(arguments: TestStore.allCases)
    func `the library's log lines have the number of the request`(on store: TestStore) async throws {
        try await withFolder { folder in
            let log = InMemoryLogHandler()
            var logger = Logger(label: "places") { _ in log }
            logger.logLevel = .debug
            try await RunningService.run(store.address(in: folder), logger: logger) { service in
                let reply = try await service.connect { try await $0.send(.get, "/places/7") }
                let name = try #require(HTTPField.Name("X-Request-ID"))
                let number = try #require(reply.headers[name])
                let reads = log.entries.filter { "\($0.metadata["component"] ?? "")" == "granary.read" }
                #expect(reads.contains { "\($0.metadata["hb.request.id"] ?? "")" == number }, "\(log.entries)")
            }
        }
    }

    @Test(arguments: TestStore.allCases)
    func `a request that runs at the shutdown is answered, and is kept`(on store: TestStore) async throws {
        try await withFolder { folder in
            let address = store.address(in: folder)
            try await RunningService.run(address) { service in
                try await service.connect { connection in
                    // The first part of the import is committed after 1000 lines: then the request surely runs.
                    let lines = (1...1_500).map { placeBody("Place \($0)") + "\n" }
                    try await connection.begin(.post, "/import", length: lines.joined().utf8.count)
                    for line in lines.prefix(1_200) { try await connection.write(line) }
                    for try await count in service.server.stack.observeCount(Place.all) where count > 0 { break }
                    await service.group.triggerGracefulShutdown()
                    for line in lines.dropFirst(1_200) { try await connection.write(line) }
                    #expect(try await connection.end().read(ImportAnswer.self).inserted == 1_500)
                }
            }
            guard store != .memory else { return }
            try await RunningService.run(address) { service in
                let count = try await service.server.stack.read { try $0.count(Place.all) }
                #expect(count == 1_500)
            }
        }
    }

    @Test(arguments: [TestStore.sqlite, .lmdb])
    func `a service that starts again has the places of the one before`(on store: TestStore) async throws {
        try await withFolder { folder in
            let address = store.address(in: folder)
            try await RunningService.run(address) { service in
                _ = try await service.connect { try await $0.send(.post, "/places", placeBody("Lyon")) }
            }
            try await RunningService.run(address) { service in
                let place = try await service.connect { try await $0.send(.get, "/places/1").read(Place.self) }
                #expect(place.name == "Lyon")
            }
        }
    }
}
