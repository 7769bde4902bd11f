import Granary
import Testing

/// What the pages about plans and about SQL say, done.
struct StoreTests {
    @Test(arguments: Kind.allCases) func `plans say what is read`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Disc.self, Band.self)) { (stack: Stack) async throws in
            try await stack.write { tx in
                let bands = try tx.insert((0..<50).map { Band(name: $0 == 7 ? "Prince" : "band \($0)") })
                try tx.insert(
                    (0..<400).map {
                        Disc(
                            title: "disc \($0)", label: "label \($0 % 20)", genre: $0 % 2 == 0 ? "Rock" : "Funk",
                            year: 1960 + $0 % 40, plays: $0 % 7, band: Ref(bands[$0 % 50]))
                    })
            }
            var plans = try await stack.read { try DocumentationTests.plans($0) }
            // Beyond the two steps shown, SQLite sorts.
            plans[3].steps.removeSubrange(2...)
            let page = try PageTests.text(ofPage: "PlansAndIndexes")
            let shown = page.components(separatedBy: "```").enumerated().filter { !$0.offset.isMultiple(of: 2) }
                .map(\.element).filter { !$0.hasPrefix("swift") }
            #expect(shown.map { String($0.dropFirst()) } == plans.map { $0.description + "\n" })
            #expect(plans.map(\.fullScans) == [[], [], ["Disc"], [], [], []])
            #expect(try await stack.read { try checkPlans($0) } == ["Disc"])
        }
    }

    @Test func `SQL is asked for records, rows and values, and writes`() async throws {
        try await withMusic(.sqlite, history: .everything) { (stack: Stack) async throws in
            try await stack.fill()
            #expect(
                try await stack.read { try askInSQL($0, "Prince") } == [
                    "Kiss", "1999", "Kiss 9", "1999 12", "Sinnerman 14", "5.0",
                ])
            let token = try await stack.historyToken()
            #expect(try await stack.write { try writeInSQL($0, 5) } == 2)
            #expect(try await stack.read { try $0.fetch(Song.all).map(\.plays) } == [9, 4, 3])
            let commits = try await stack.changes(since: token)
            #expect(try commits.map { try $0.updated(Song.self)?.count } == [2])
        }
    }

    @Test(arguments: [Kind.lmdb, .memory]) func `another store takes no SQL`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            #expect(!stack.capabilities.has(.rawSQL))
            let error = await #expect(throws: GranaryError.self) {
                try await stack.read { try askInSQL($0, "Prince") }
            }
            #expect(error?.code == .unsupported)
            #expect(error?.capability == .rawSQL)
        }
    }
}
