import Granary
import Testing

/// What the pages about queries say, done.
struct QueryTests {
    @Test(arguments: Kind.allCases) func `queries in typed Swift`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            try await stack.fill()
            let answers = try await stack.read { try ask($0) }
            #expect(
                answers == [
                    "Prince", "Kiss", "Prince", "Kiss", "Nina Simone", "Prince", "Prince: 12", "Prince has 2",
                    "Nina Simone has 1",
                    "The Nobodies has 0",
                ])
            #expect(try await stack.read { try pages($0) } == [["Kiss", "1999"], ["Sinnerman"]])
        }
    }

    @Test(arguments: Kind.allCases) func `queries as text and by names`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            try await stack.fill()
            #expect(try await stack.read { try askByText($0, "Prince") } == [1, 1, 2])
            #expect(try await stack.write { try askByName($0) } == ["Nina Simone", "Prince"])
        }
    }

    @Test func `records are related`() async throws {
        let stack = try await Stack(Schema(Playlist.self, Track.self), store: .inMemory)
        let titles = try await stack.write { tx in
            let playlist = try tx.insert(Playlist(name: "Friday"))
            let tracks = try tx.insert([Track(title: "a"), Track(title: "b"), Track(title: "c")])
            return try arrange(playlist, tracks, in: tx)
        }
        #expect(titles == ["b", "c"])
        try await stack.close()
    }

    @Test func `both sides of a many-to-many relationship have the same links`() async throws {
        let stack = try await Stack(Schema(Student.self, Course.self), store: .inMemory)
        let titles = try await stack.write { tx in
            try enrol(try tx.insert(Student(name: "Ada")), in: try tx.insert(Course(title: "Logic")), tx)
        }
        #expect(titles == ["Logic"])
        try await stack.close()
    }

    @Test(arguments: Kind.allCases) func `related records have an order of their own`(_ kind: Kind) async throws {
        try await withStack(kind, Schema(Tape.self, Cut.self)) { (stack: Stack) async throws in
            let titles = try await stack.write { tx in try arrange(try tx.insert(Tape(name: "Mixed")), in: tx) }
            #expect(titles == ["c0", "a1", "b2"])
        }
    }

    @Test(arguments: Kind.allCases) func `records without types are read and written`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            try await stack.fill()
            #expect(
                try await stack.read { try readByNames($0, "plays > 2") } == [
                    "Kiss: 9", "1999: 3", "\"Kiss\" by \"Prince\"", "\"1999\" by \"Prince\"", "\"Nina Simone\": 2",
                    "\"Prince\": 12", "2 of 2", "1 of 1", "0 of 0",
                ])
        }
        try await withMusic(kind) { (stack: Stack) async throws in
            let made = try await stack.write { try writeByNames($0) }
            #expect(made == "Artist(id: 2, name: \"Prince\", plays: 0)")
            #expect(try await stack.names() == ["Prince"])
            #expect(try await stack.read { try $0.fetch(Song.all).map(\.plays) } == [2])
            #expect(try await stack.read { try $0.fetch(Song.all).map(\.artist.key) } == [2])
        }
    }

    @Test(arguments: Kind.allCases) func `a schema is made while the program runs`(_ kind: Kind) async throws {
        try await withStack(kind, tableOf(["first", "second"])) { (stack: Stack) async throws in
            let row = try await stack.write { tx in
                var row = try DynamicRecord("Row", in: tx.schema)
                try row.set("second", to: "b")
                return try tx.insert(row)
            }
            #expect("\(row)" == "Row(id: 1, second: \"b\")")
            #expect(try await stack.read { try $0.find("Row", 1 as Int64) } == row)
        }
    }
}
