import HTTPTypes
import PlacesClient
import PlacesService
import Testing

@Suite struct ReadingTests {
    @Test(arguments: TestStore.allCases)
    func `a place is found by its id`(on store: TestStore) async throws {
        try await withService(on: store) { connection in
            _ = try await connection.send(.post, "/places", placeBody("Lyon", population: 500_000))
            let place = try await connection.send(.get, "/places/1").read(Place.self)
            #expect(place.name == "Lyon" && place.country == "FR" && place.population == 500_000)
        }
    }

    @Test(arguments: TestStore.allCases)
    func `pages give all places of a country once, the largest first`(on store: TestStore) async throws {
        try await withService(on: store) { connection in
            for number in 1...7 {
                // Places of equal size come by their keys.
                let body = placeBody("Place \(number)", number == 4 ? "ES" : "FR", population: number / 3 * 100)
                _ = try await connection.send(.post, "/places", body)
            }
            var (ids, after): ([Int64], String) = ([], "")
            for size in [2, 2, 2] {
                let page = try await connection.send(.get, "/places?country=FR&limit=2&after=\(after)")
                    .read(PageAnswer.self)
                #expect(page.places.count == size)
                ids += page.places.map(\.id)
                after = page.next ?? ""
            }
            #expect(after.isEmpty)
            #expect(ids == [7, 6, 5, 3, 2, 1])
        }
    }

    @Test(arguments: TestStore.allCases)
    func `places are found by words, whatever their case and accents`(on store: TestStore) async throws {
        try await withService(on: store) { connection in
            for name in ["Saint-Étienne", "Saint-Denis", "Étretat"] {
                _ = try await connection.send(.post, "/places", placeBody(name))
            }
            func names(_ words: String) async throws -> [String] {
                try await connection.send(.get, "/places?name=\(words)").read(PageAnswer.self).places.map(\.name)
                    .sorted()
            }
            #expect(try await names("etienne") == ["Saint-Étienne"])
            #expect(try await names("SAINT%20d*") == ["Saint-Denis"])
            #expect(try await names("%C3%A9tr*") == ["Étretat"])
            #expect(try await names("paris") == [])
        }
    }

    @Test(arguments: TestStore.allCases)
    func `the nearest places come first, also across the date line`(on store: TestStore) async throws {
        try await withService(on: store) { connection in
            _ = try await connection.send(.post, "/places", placeBody("East", "FJ", -17, 179.9))
            _ = try await connection.send(.post, "/places", placeBody("West", "FJ", -17, -179.95))
            _ = try await connection.send(.post, "/places", placeBody("Far", "FJ", -17, 170))
            let near = try await connection.send(.get, "/nearest?latitude=-17&longitude=-180&within=20")
                .read([NearAnswer].self)
            #expect(near.map(\.place.name) == ["West", "East"])
            // A degree of longitude has 106 km there.
            #expect(near.map { Int($0.kilometres.rounded()) } == [5, 11])
        }
    }
}
