import Granary
import Testing

/// What the page about threads and tasks says, done.
struct ThreadTests {
    @Test(arguments: Kind.allCases) func `reads count apart or together`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            try await stack.fill()
            let apart = try await countApart(stack)
            #expect(apart.artists == 3)
            #expect(apart.songs == 3)
            let together = try await countTogether(stack)
            #expect(together.artists == 3)
            #expect(together.songs == 3)
        }
    }

    @Test(arguments: Kind.allCases) func `a read inside a write does not see the write`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let counts = try addAndCount("Prince", to: stack)
            #expect(counts.outside == 0)
            #expect(counts.inside == 1)
            #expect(try await stack.names() == ["Prince"])
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Kind.allCases)
    func `a read that takes too long is cancelled`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            try await stack.fill()
            let count = try await answer(of: stack, within: .seconds(240)) { try $0.count(Artist.all) }
            #expect(count == 3)
            let error = await #expect(throws: GranaryError.self) {
                try await answer(of: stack, within: .milliseconds(10)) { snapshot -> Int in
                    while true { _ = try snapshot.count(Artist.all) }
                }
            }
            #expect(error?.code == .cancelled)
        }
    }
}
