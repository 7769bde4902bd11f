import Foundation
import Granary
import GranaryObservability
import Logging
import ServiceLifecycle
import Testing

/// What the page about operating a service says, done.
@MainActor struct OperatingTests {
    @Test(.timeLimit(.minutes(5))) func `a service opens its stack, answers, is healthy, and closes it at the end`()
        async throws
    {
        try await withFolder { folder in
            let (telemetry, logger) = (StackTelemetry(), Logger(label: "test"))
            let stack = try await openForService(folder.appending(path: "Music.granary"), logger, telemetry)
            try await stack.write(as: "artists") { tx in
                try tx.insert([Artist(name: "Prince", rating: 5), Artist(name: "Nina Simone", rating: 4)])
            }
            #expect(try await top(stack, request: "r1").map(\.name) == ["Prince"])
            let answer = await answerHealthCheck(of: stack)
            #expect(answer.status == 200)
            #expect(answer.line == "reading works, writing works, oldest read none")
            // A group ends with its server: here by an error.
            await #expect(throws: Ended.self) { try await run(Server(stack: stack), with: stack, telemetry, logger) }
            #expect(await answerHealthCheck(of: stack).status == 503)
        }
    }

    private struct Server: Service {
        let stack: Stack

        func run() async throws {
            #expect(await answerHealthCheck(of: stack).status == 200)
            throw Ended()
        }
    }

    private struct Ended: Error {}
}
