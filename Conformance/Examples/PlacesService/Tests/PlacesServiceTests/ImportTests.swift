import HTTPTypes
import PlacesClient
import PlacesService
import Testing

@Suite struct ImportTests {
    @Test(arguments: TestStore.allCases)
    func `lines become places, found again by their ids`(on store: TestStore) async throws {
        try await withService(on: store) { connection in
            // The names of GeoNames, and keys that mean nothing here.
            let line = """
                {"geonameid":70,"name":"Lyon","countrycode":"FR","latitude":"45.7","longitude":4.8,"population":500000,\
                "timezone":"Europe/Paris","admin1code":"84"}
                """
            let own = "{\"id\":71,\(placeBody("Nice").dropFirst())"
            let first = try await connection.send(.post, "/import", "\(line)\n\(own)\n").read(ImportAnswer.self)
            #expect(first.inserted == 2 && first.failed == 0)
            let place = try await connection.send(.get, "/places/70").read(Place.self)
            #expect(place.latitude == 45.7 && place.country == "FR" && place.timeZone == "Europe/Paris")
            let again = try await connection.send(.post, "/import", line.replacing("Lyon", with: "Lugdunum"))
                .read(ImportAnswer.self)
            #expect(again.inserted == 0 && again.updated == 1)
        }
    }

    @Test(arguments: TestStore.allCases)
    func `lines that cannot be imported are reported, and the others are imported`(on store: TestStore) async throws {
        try await withService(on: store) { connection in
            let lines = [placeBody("Lyon"), "{\"name\":", placeBody("Nowhere", "FR", 99), placeBody("Nice")]
            let answer = try await connection.send(.post, "/import", lines.joined(separator: "\n"))
                .read(ImportAnswer.self)
            #expect(answer.inserted == 2 && answer.failed == 2)
            #expect(answer.problems.map(\.line) == [2, 3])
            #expect(answer.problems.map(\.code) == ["invalidInput", "invalidRecord"])
        }
    }

    @Test(arguments: TestStore.allCases)
    func `a client that goes away within its file does not disturb others`(on store: TestStore) async throws {
        try await withFolder { folder in
            try await RunningService.run(store.address(in: folder)) { service in
                // The client closes the connection within its second line.
                try await service.connect { connection in
                    try await connection.begin(.post, "/import", length: 1_000_000)
                    try await connection.write("\(placeBody("Lyon"))\n{\"name\":")
                }
                let health = try await service.connect { connection in
                    _ = try await connection.send(.post, "/places", placeBody("Nice")).read(Place.self, status: 201)
                    return try await connection.send(.get, "/health").status
                }
                #expect(health == 200)
            }
        }
    }

    @Test(arguments: TestStore.allCases)
    func `other clients write while an import waits for its client`(on store: TestStore) async throws {
        try await withFolder { folder in
            try await RunningService.run(store.address(in: folder)) { service in
                try await service.connect { importing in
                    let lines = [placeBody("Lyon"), placeBody("Nice")].map { "\($0)\n" }
                    try await importing.begin(.post, "/import", length: lines.joined().utf8.count)
                    try await importing.write(lines[0])
                    let other = try await service.connect { try await $0.send(.post, "/places", placeBody("Paris")) }
                    #expect(other.status == 201)
                    try await importing.write(lines[1])
                    #expect(try await importing.end().read(ImportAnswer.self).inserted == 2)
                }
            }
        }
    }
}
