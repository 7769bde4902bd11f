import Dispatch
import Granary
import HTTPTypes
import PlacesClient
import PlacesService
import Testing

@Suite struct LimitTests {
    @Test(arguments: TestStore.allCases)
    func `a write beyond the limit is refused, and reads go on`(on store: TestStore) async throws {
        try await withFolder { folder in
            try await RunningService.run(store.address(in: folder), limits: StackLimits(waitingWrites: 0)) { service in
                let (began, beginning) = AsyncStream<Void>.makeStream()
                let mayEnd = DispatchSemaphore(value: 0)
                async let long: Void = service.server.stack.write { _ in
                    beginning.yield()
                    mayEnd.wait()
                }
                defer { mayEnd.signal() }
                _ = await began.first { true }
                let (refused, page) = try await service.connect { connection in
                    (
                        try await connection.send(.post, "/places", placeBody("Lyon")),
                        try await connection.send(.get, "/places")
                    )
                }
                #expect(try refused.read(ErrorAnswer.self, status: 503).error.code == "busy")
                #expect(refused.headers[.retryAfter] == "1")
                #expect(page.status == 200)
                mayEnd.signal()
                try await long
                let later = try await service.connect { try await $0.send(.post, "/places", placeBody("Lyon")) }
                #expect(later.status == 201)
            }
        }
    }
}
