import Granary
import HTTPTypes
import PlacesClient
import PlacesService
import Testing

@Suite struct BadInputTests {
    struct Input: Sendable, CustomTestStringConvertible {
        var method = HTTPRequest.Method.get
        var path: String
        var body: String?
        var status: Int
        /// A part of the message.
        var says: String
        var testDescription: String { "\(method) \(path) \(body?.prefix(60) ?? "")" }
    }

    static let inputs = [
        Input(path: "/places/99", status: 404, says: "99"),
        Input(path: "/places/zero", status: 400, says: "number from 1"),
        Input(path: "/places/0", status: 400, says: "number from 1"),
        Input(path: "/places?limit=0", status: 400, says: "1 to 100"),
        Input(path: "/places?limit=101", status: 400, says: "1 to 100"),
        Input(path: "/places?limit=many", status: 400, says: "1 to 100"),
        Input(path: "/places?after=here", status: 400, says: "next"),
        Input(path: "/nearest?latitude=91&longitude=0", status: 400, says: "-90.0 to 90.0"),
        Input(path: "/nearest?latitude=nan&longitude=0", status: 400, says: "-90.0 to 90.0"),
        Input(path: "/nearest?latitude=0", status: 400, says: "longitude"),
        Input(method: .post, path: "/places", body: "{\"name\":", status: 400, says: "not valid"),
        Input(method: .post, path: "/places", body: "", status: 400, says: "not valid"),
        Input(method: .post, path: "/places", body: "[]", status: 400, says: "Type mismatch"),
        Input(method: .post, path: "/places", body: "{\"name\":\"Lyon\"}", status: 400, says: "country"),
        Input(
            method: .post, path: "/places",
            body: placeBody("Lyon").replacing("1000", with: "\"many\""), status: 400, says: "population"),
        Input(method: .post, path: "/places", body: placeBody("Lyon", population: -1), status: 422, says: "0 or more"),
        Input(method: .post, path: "/places", body: placeBody(""), status: 422, says: "name"),
        Input(method: .post, path: "/places", body: placeBody("Lyon", "France"), status: 422, says: "two capital"),
        Input(method: .put, path: "/places/7", body: placeBody("Lyon", "FR", 91), status: 422, says: "-90 to 90"),
        Input(method: .put, path: "/places/0", body: placeBody("Lyon"), status: 400, says: "number from 1"),
        Input(method: .delete, path: "/places/-1", status: 400, says: "number from 1"),
        Input(
            method: .post, path: "/places", body: placeBody(String(repeating: "x", count: 100_000)), status: 413,
            says: ""),
        Input(path: "/nowhere", status: 404, says: ""),
        Input(method: .post, path: "/health", status: 404, says: ""),
    ]

    @Test(arguments: TestStore.allCases)
    func `bad input has the status and the message that say what is wrong`(on store: TestStore) async throws {
        try await withFolder { folder in
            try await RunningService.run(store.address(in: folder)) { service in
                for input in Self.inputs {
                    let reply = try await service.connect { try await $0.send(input.method, input.path, input.body) }
                    #expect(reply.status == input.status, "\(input.testDescription): \(reply.body)")
                    #expect(reply.body.contains(input.says), "\(input.testDescription): \(reply.body)")
                }
                #expect(try await service.server.stack.read { try $0.count(Place.all) } == 0)
            }
        }
    }

    @Test(arguments: TestStore.allCases)
    func `an error names its code and its attributes`(on store: TestStore) async throws {
        try await withService(on: store) { connection in
            let reply = try await connection.send(.post, "/places", placeBody("Lyon", population: -1))
            let error = try reply.read(ErrorAnswer.self, status: 422).error
            #expect(error.code == "invalidRecord" && error.attributes == ["population"])
        }
    }

    @Test(arguments: TestStore.allCases)
    func `a connection is usable after bad input`(on store: TestStore) async throws {
        try await withService(on: store) { connection in
            let long = placeBody(String(repeating: "x", count: 100_000))
            var statuses: [Int] = []
            for body in [long, "{", placeBody("Lyon")] {
                statuses.append(try await connection.send(.post, "/places", body).status)
            }
            #expect(statuses == [413, 400, 201])
        }
    }

    @Test func `a place in a page of another order is refused`() async throws {
        try await withService(on: .memory) { connection in
            for name in ["Lyon", "Nice"] { _ = try await connection.send(.post, "/places", placeBody(name)) }
            let page = try await connection.send(.get, "/places?limit=1").read(PageAnswer.self)
            let next = try #require(page.next)
            // The same text with another letter within it: either no JSON any more, or another position.
            let altered = next.dropLast(8) + "AAAAAAAA"
            #expect(try await connection.send(.get, "/places?limit=1&after=\(altered)").status == 400)
        }
    }
}
