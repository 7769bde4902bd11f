import Foundation
import Granary
import Testing

/// What the page about active record and purging says, done.
@MainActor struct ActiveRecordTests {
    @Test(arguments: Kind.allCases) func `finders ask the main context or another`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            #expect(try addKiss(to: stack) == ["Kiss"])
            #expect(try await stack.titles() == ["Kiss"])
            #expect(try await stack.write { try addKiss(in: $0) } == ["Kiss", "Kiss"])
            #expect(try await stack.names() == ["Prince"])
        }
    }

    @Test(arguments: Kind.allCases) func `what is not found is created`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let names = ["Nina Simone", "Björk", "Prince"]
            #expect(try await stack.write { try artists(in: $0) } == names)
            #expect(try await stack.write { try artists(in: $0) } == names)
            #expect(try await stack.names() == names.sorted())
        }
    }

    @Test(arguments: Kind.allCases) func `two contexts each create what neither finds`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            for context in [try stack.makeContext(), try stack.makeContext()] {
                _ = try Artist.findOrCreate(where: { $0.name == "Prince" }, in: context)
                try await context.save()
            }
            #expect(try await stack.names() == ["Prince"])
            let contexts = [try stack.makeContext(), try stack.makeContext()]
            for context in contexts { _ = try Artist.findOrCreate(where: { $0.name == "Björk" }, in: context) }
            for context in contexts { try await context.save() }
            #expect(try await stack.names() == ["Björk", "Björk", "Prince"])
        }
    }

    @Test(arguments: Kind.allCases) func `records are written by a unique value`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Publisher.self)) { (stack: Stack) async throws in
            try await stack.write { tx in
                let made = try move("Warp", to: "UK", besides: ["Ninja Tune"], in: tx)
                let moved = try move("Warp", to: "US", besides: ["Ninja Tune", "Warp"], in: tx)
                #expect((made.id, made.country, moved.id, moved.country) == (1, "UK", 1, "US"))
            }
            let names = try await stack.read { try $0.fetch(Publisher.sorted(by: \.name)).map(\.name) }
            #expect(names == ["Ninja Tune", "Warp"])
        }
    }

    @Test func `without a default stack .main says so`() {
        let error = #expect(throws: GranaryError.self) { try Artist.count(in: .main) }
        #expect(error?.code == .noDefaultStack)
    }

    @Test(arguments: Kind.allCases) func `stale records are purged`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Draft.self)) { (stack: Stack) async throws in
            try await stack.write { tx in
                try tx.insert([
                    Draft(text: "old", expires: Date() - 60), Draft(text: "new", expires: Date() + 3_600),
                ])
            }
            #expect(try await purge(stack) == 1)
            #expect(try await purge(stack) == 0)
            #expect(try await stack.read { try $0.fetch(Draft.all).map(\.text) } == ["new"])
        }
    }

    @Test(.timeLimit(.minutes(5))) func `stale records are purged at once, and at each signal`() async throws {
        try await withStack(.memory, Schema(Draft.self)) { (stack: Stack) async throws in
            let old = Draft(text: "old", expires: Date() - 60)
            try await stack.write { try $0.insert(old) }
            let schedule = purgeHourly(stack)
            while try await stack.read({ try Draft.all.exists(in: $0) }) { await Task.yield() }
            schedule.cancel()
            await schedule.finished()

            try await stack.write { try $0.insert(old) }
            let (signals, source) = AsyncStream.makeStream(of: Void.self)
            let following = purge(stack, on: signals)
            source.yield()
            source.finish()
            await following.finished()
            #expect(try await stack.read { try $0.count(Draft.all) } == 0)
        }
    }
}
