import Granary
import HTTPTypes
import PlacesClient
import PlacesService
import Testing

@Suite struct WritingTests {
    @Test(arguments: TestStore.allCases)
    func `a new place gets the next key and its address`(on store: TestStore) async throws {
        try await withService(on: store) { connection in
            for id in 1...2 as ClosedRange<Int64> {
                let reply = try await connection.send(.post, "/places", placeBody("Lyon"))
                #expect(try reply.read(Place.self, status: 201).id == id)
                #expect(reply.headers[.location] == "/places/\(id)")
            }
        }
    }

    @Test(arguments: TestStore.allCases)
    func `a place with a given key is made, and then replaced`(on store: TestStore) async throws {
        try await withService(on: store) { connection in
            let new = try await connection.send(.put, "/places/70", placeBody("Lyon"))
            #expect(try new.read(Place.self, status: 201).version == 0)
            let changed = try await connection.send(.put, "/places/70", placeBody("Lugdunum"))
            #expect(try changed.read(Place.self).version == 1)
            let place = try await connection.send(.get, "/places/70").read(Place.self)
            #expect(place.name == "Lugdunum" && place.version == 1)
        }
    }

    @Test(arguments: TestStore.allCases)
    func `a client that has read an old version overwrites nothing`(on store: TestStore) async throws {
        try await withService(on: store) { connection in
            _ = try await connection.send(.put, "/places/7", placeBody("Lyon"))
            let first = try await connection.send(.put, "/places/7", placeBody("Lyons", version: 0))
            #expect(try first.read(Place.self).version == 1)
            let second = try await connection.send(.put, "/places/7", placeBody("Lugdunum", version: 0))
            #expect(try second.read(ErrorAnswer.self, status: 409).error.code == "mergeConflict")
            #expect(try await connection.send(.get, "/places/7").read(Place.self).name == "Lyons")
        }
    }

    @Test(arguments: TestStore.allCases)
    func `a version of a place that does not exist makes no place`(on store: TestStore) async throws {
        try await withService(on: store) { connection in
            let reply = try await connection.send(.put, "/places/7", placeBody("Lyon", version: 3))
            #expect(reply.status == 404)
            #expect(try await connection.send(.get, "/places/7").status == 404)
        }
    }

    @Test(arguments: TestStore.allCases)
    func `a deleted place is gone`(on store: TestStore) async throws {
        try await withService(on: store) { connection in
            _ = try await connection.send(.put, "/places/7", placeBody("Lyon"))
            #expect(try await connection.send(.delete, "/places/7").status == 204)
            #expect(try await connection.send(.get, "/places/7").status == 404)
            #expect(try await connection.send(.delete, "/places/7").status == 404)
        }
    }

    @Test(arguments: TestStore.allCases)
    func `writes of many connections are all kept, each with a key of its own`(on store: TestStore) async throws {
        try await withFolder { folder in
            try await RunningService.run(store.address(in: folder)) { service in
                let ids = try await withThrowingTaskGroup(of: [Int64].self) { group in
                    for number in 0..<8 {
                        group.addTask {
                            try await service.connect { connection in
                                var ids: [Int64] = []
                                for step in 0..<5 {
                                    let reply = try await connection.send(
                                        .post, "/places", placeBody("Place \(number) \(step)"))
                                    ids.append(try reply.read(Place.self, status: 201).id)
                                }
                                return ids
                            }
                        }
                    }
                    return try await group.reduce(into: [], +=)
                }
                #expect(ids.sorted() == Array(1...40))
                #expect(try await service.server.stack.read { try $0.count(Place.all) } == 40)
            }
        }
    }
}
