import Granary
import Testing

/// What the pages about where changes wait say, done.
@MainActor struct LayoutTests {
    @Test(arguments: Kind.allCases) func `what is changed on screen is saved or dropped`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let list = try ArtistList(stack)
            let prince = try list.add("Prince")
            #expect(prince.id > 0)
            #expect(list.canSave)
            #expect(try await stack.names() == [])
            try await list.save()
            #expect(!list.canSave)
            #expect(try await stack.names() == ["Prince"])

            try list.rate(prince.id, 5)
            #expect(try list.artists().map(\.rating) == [5])
            list.cancel()
            #expect(try list.artists().map(\.rating) == [nil])
            let error = #expect(throws: GranaryError.self) { try list.rate(99, 1) }
            #expect(error?.code == .recordNotFound)
        }
    }

    @Test(arguments: Kind.allCases) func `two imports at once make each artist once`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let (made, shown) = try await importTwice(into: stack)
            #expect(made == 3)
            #expect(shown == ["Björk", "Nina Simone", "Prince"])
        }
    }

    @Test(arguments: Kind.allCases) func `an actor has a context of its own`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let inbox = try Inbox(stack)
            try await inbox.take("Prince")
            try await inbox.take("Björk")
            #expect(try stack.mainContext.count(Artist.all) == 0)
            #expect(try await inbox.save() == 2)
            #expect(try stack.mainContext.count(Artist.all) == 2)
        }
    }

    @Test(arguments: Kind.allCases) func `a worker counts what is not saved`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let prince = try await stack.add(Artist(name: "Prince"))
            try await stack.write { try $0.insert(Song(title: "Kiss", plays: 5, artist: Ref(prince))) }
            let context = try stack.mainContext
            try context.insert(Song(title: "1999", plays: 4, artist: Ref(prince)))
            #expect(try await countPlays(in: context) == 1)
            #expect(try context.find(Artist.self, prince.id)?.plays == 9)
            #expect(try await stack.artist(prince.id)?.plays == 0)
            #expect(try await countPlays(in: context) == 0)
            let kiss = try #require(try context.fetch(Song.where { $0.title == "Kiss" }).first)
            try await play(kiss.id, in: context)
            #expect(!context.hasChanges)
            #expect(try await stack.read { try $0.find(Song.self, kiss.id)?.plays } == 6)
            #expect(try await stack.artist(prince.id)?.plays == 9)
        }
    }

    @Test(arguments: Kind.allCases) func `a dialogue is done or cancelled`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let prince = try await stack.add(Artist(name: "Prince"))
            let context = try stack.mainContext
            let cancelled = try ArtistEditor(prince, over: context)
            try cancelled.addSong("Kiss")
            #expect(try cancelled.songs().map(\.title) == ["Kiss"])
            cancelled.cancel()
            #expect(try cancelled.songs().isEmpty)
            #expect(!context.hasChanges)

            let editor = try ArtistEditor(prince, over: context)
            editor.artist.rating = 5
            try editor.addSong("1999")
            // Meanwhile.
            try await stack.write { try $0.update(Artist.self, prince.id) { $0.plays = 3 } }
            try editor.done()
            #expect(try context.updated(Artist.self).map(\.attributes) == [["rating"]])
            try await context.save()
            #expect(try await stack.artist(prince.id) == Artist(id: prince.id, name: "Prince", rating: 5, plays: 3))
            #expect(try await stack.titles() == ["1999"])
        }
    }

    @Test(arguments: Kind.allCases) func `songs are written in pieces`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let prince = try await stack.add(Artist(name: "Prince"))
            let titles = AsyncStream { continuation in
                for number in 0..<2_500 { continuation.yield("Song \(number)") }
                continuation.finish()
            }
            let before = try await stack.historyToken().transactionNumber
            #expect(try await importSongs(titles, of: Ref(prince), into: stack) == 2_500)
            #expect(try await stack.historyToken().transactionNumber == before + 3)
            #expect(try await stack.titles().count == 2_500)
        }
    }

    @Test(arguments: Kind.allCases) func `background work saves a part of it`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let error = await #expect(throws: GranaryError.self) {
                try await stack.perform { context in
                    try context.insert(Artist(name: "Prince"))
                    try context.blocking.save()
                    #expect(!context.hasChanges)
                    try context.insert(Artist(name: "Björk"))
                    try context.update(Artist.self, 99) { $0.rating = 1 }
                }
            }
            #expect(error?.code == .recordNotFound)
            let names = try await stack.names()
            #expect(names == ["Prince"])
        }
    }
}
