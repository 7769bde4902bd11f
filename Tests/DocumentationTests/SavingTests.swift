import Granary
import Testing

/// What the pages about saving, merging and undo say, done.
@MainActor struct SavingTests {
    @Test(arguments: Kind.allCases) func `each form of saving writes to the store`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            #expect(try addNow("Björk", to: stack).inserted == 1)
            #expect(try await add("Prince", to: stack).inserted == 1)
            let shown = await withCheckedContinuation { continuation in
                do {
                    try add("Nina Simone", to: stack) { continuation.resume(returning: $0) }
                } catch {
                    continuation.resume(returning: "\(error)")
                }
            }
            #expect(shown == "1 added")
            #expect(try await stack.names() == ["Björk", "Nina Simone", "Prince"])
        }
    }

    @Test(arguments: Kind.allCases) func `a clean child saves what its parents hold`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let results = try saveThroughParents(stack)
            #expect(results.map(\.inserted) == [1, 3, 0])
            #expect(results.map { $0.transactionNumber == nil } == [true, false, true])
            #expect(try await stack.names() == ["Nina Simone", "Prince"])
            #expect(try await stack.titles() == ["Feeling Good"])
        }
    }

    @Test(arguments: Kind.allCases) func `a policy settles what two have changed`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let artist = try await stack.add(Artist(name: "Jimi"))
            let conflicts = try twoEditors(artist.id, in: stack)
            #expect(conflicts.map(\.description) == ["Artist: name changed on both sides"])
            #expect(
                try await stack.artist(artist.id) == Artist(id: artist.id, name: "Jimi Hendrix", rating: 5, plays: 12))
        }
    }

    @Test(arguments: Kind.allCases) func `a closure adds up what both have counted`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let artist = try await stack.add(Artist(name: "Prince", plays: 10))
            let context = try stack.mainContext
            context.mergePolicy = .addingPlays
            try context.update(Artist.self, artist.id) { $0.plays += 1 }
            try await stack.write { try $0.update(Artist.self, artist.id) { ($0.plays, $0.rating) = (15, 4) } }
            #expect(try await context.save().conflicts.count == 1)
            #expect(try await stack.artist(artist.id) == Artist(id: artist.id, name: "Prince", rating: 4, plays: 16))

            // Also where both count the same.
            try context.update(Artist.self, artist.id) { $0.plays += 1 }
            try await stack.write { try $0.update(Artist.self, artist.id) { $0.plays += 1 } }
            #expect(try await context.save().conflicts.map(\.kind) == [.changedAlike])
            #expect(try await stack.artist(artist.id)?.plays == 18)

            try context.update(Artist.self, artist.id) { $0.name = "Symbol" }
            try await stack.write { try $0.update(Artist.self, artist.id) { $0.name = "The Artist" } }
            let error = await #expect(throws: GranaryError.self) { try await context.save() }
            #expect(error?.code == .mergeConflict)
        }
    }

    @Test(arguments: Kind.allCases) func `two that write the same facts agree`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let artist = try await stack.add(Artist(name: "Prince"))
            let facts = Artist(id: artist.id, name: "Prince Rogers Nelson", rating: 5)
            let context = try stack.makeContext()
            context.mergePolicy = .error.agreeing
            try context.upsert(facts)
            try await importNames([facts], into: stack)
            #expect(try await context.save().isEmpty)
            #expect(try await stack.artist(artist.id) == facts)
        }
    }

    @Test(arguments: Kind.allCases) func `a value read earlier is merged`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let old = try await stack.add(Artist(name: "Prince"))
            try await stack.write { try $0.update(Artist.self, old.id) { $0.plays = 7 } }
            let renamed = try await rename(old, to: "Symbol", in: stack)
            #expect(renamed == Artist(id: old.id, name: "Symbol", plays: 7))
            let error = await #expect(throws: GranaryError.self) { try await rename(old, to: "Love", in: stack) }
            #expect(error?.code == .mergeConflict)
        }
    }

    @Test(arguments: Kind.allCases) func `plays counted by many at once are all counted`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let artist = try await stack.add(Artist(name: "Prince"))
            let song = try await stack.write { try $0.insert(Song(title: "Kiss", artist: Ref(artist))) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { _ = try await countPlay(of: song.id, in: stack) } }
                try await group.waitForAll()
            }
            #expect(try await countPlay(of: song.id, in: stack) == 9)
        }
    }

    @Test(arguments: Kind.allCases) func `what was done is taken back and done again`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            #expect(try await addAndTakeBack(in: stack) == [1, 0, 1, 0])
            #expect(try await stack.names() == [])
            let context = try stack.mainContext
            #expect(try context.redo())
            #expect(try context.fetch(Song.all).map(\.title) == ["Jóga"])
        }
    }

    @Test(arguments: Kind.allCases) func `what a child hands over is one group`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let prince = try await stack.add(Artist(name: "Prince"))
            let context = try stack.mainContext
            context.isUndoEnabled = true
            let editor = try ArtistEditor(prince, over: context)
            editor.artist.rating = 5
            try editor.addSong("Kiss")
            try editor.done()
            #expect(try context.undo())
            #expect(!context.hasChanges)
            #expect(!context.canUndo)
        }
    }
}
