import Granary
import Testing

/// What the pages about queries say, done.
struct QueryTests {
    /// Three artists, two with songs.
    private func fill(_ stack: Stack) async throws {
        try await stack.write { tx in
            let prince = try tx.insert(Artist(name: "Prince", rating: 5))
            let nina = try tx.insert(Artist(name: "Nina Simone", rating: 4.2))
            try tx.insert(Artist(name: "The Nobodies"))
            try tx.insert([
                Song(title: "Kiss", plays: 9, artist: Ref(prince)), Song(title: "1999", plays: 3, artist: Ref(prince)),
                Song(title: "Sinnerman", plays: 2, artist: Ref(nina)),
            ])
        }
    }

    @Test(arguments: Kind.allCases) func `queries in typed Swift`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            try await fill(stack)
            let answers = try await stack.read { try ask($0) }
            #expect(
                answers == [
                    "Prince", "Kiss", "Prince", "Nina Simone", "Prince", "Prince: 12", "Prince has 2",
                    "Nina Simone has 1",
                    "The Nobodies has 0",
                ])
            #expect(try await stack.read { try pages($0) } == [["Kiss", "1999"], ["Sinnerman"]])
        }
    }

    @Test(arguments: Kind.allCases) func `queries as text and by names`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            try await fill(stack)
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
}
