import Foundation
import Granary
import Testing

/// What the pages about the history and observing say, done.
struct FollowingTests {
    @Test(arguments: Kind.allCases) func `what others have changed is sent once`(_ kind: Kind) async throws {
        try await withMusic(kind, history: .everything) { (stack: Stack) async throws in
            var upload = Upload(token: try await stack.historyToken())
            var sent: [String] = []
            let prince = try await stack.add(Artist(name: "Prince"))
            try await upload.receive(Artist(name: "Björk"), into: stack)
            try await upload.run(stack) { sent.append($0.name) }
            #expect(sent == ["Prince"])

            try await stack.write { try $0.update(Artist.self, prince.id) { $0.name = "Symbol" } }
            upload = try JSONDecoder().decode(Upload.self, from: try JSONEncoder().encode(upload))
            try await upload.run(stack) { sent.append($0.name) }
            try await upload.run(stack) { sent.append($0.name) }
            #expect(sent == ["Prince", "Symbol"])

            // Those left out are behind it, too.
            try await upload.receive(Artist(name: "Nina Simone"), into: stack)
            try await upload.run(stack) { sent.append($0.name) }
            #expect(upload.token == (try await stack.historyToken()))
        }
    }

    @Test func `the history is in the file`() async throws {
        try await withFolder { (folder: URL) async throws in
            let url = folder.appending(path: "Music.granary")
            let first = try await openWithHistory(url)
            let token = try await first.historyToken()
            try await first.write(as: "one") { try $0.insert(Artist(name: "Prince")) }
            try await first.close()
            let second = try await openWithHistory(url)
            let commits = try await second.changes(since: token)
            #expect(commits.map(\.origin.name) == ["one"])
            #expect(try commits.map { try $0.inserted(Artist.self)?.count } == [1])
            try await second.close()
            let third = try await openMusic(url)
            #expect(try await third.names() == ["Prince"])
            try await third.close()
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Kind.allCases)
    func `an answer is given anew when it has changed`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let (shown, continuation) = AsyncStream.makeStream(of: [String].self)
            let following = Task { try await followBest(in: stack) { _ = continuation.yield($0) } }
            var values = shown.makeAsyncIterator()
            #expect(await values.next() == [])
            let prince = try await stack.add(Artist(name: "Prince", rating: 5))
            #expect(await values.next() == ["Prince"])
            try await stack.add(Artist(name: "Nobody"))
            try await stack.write { try $0.delete(prince) }
            #expect(await values.next() == [])
            following.cancel()
            _ = await following.result
        }
    }

    @MainActor @Test(.timeLimit(.minutes(5)), arguments: Kind.allCases)
    func `a table reads its rows in batches`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let prince = try await stack.add(Artist(name: "Prince"))
            try await stack.write { tx in
                for number in 1...250 { try tx.insert(Song(title: "Song \(1_000 + number)", artist: Ref(prince))) }
            }
            let (changes, continuation) = AsyncStream.makeStream(of: FetchedChanges.self)
            let table = try await SongTable(stack) { continuation.yield($0) }
            #expect(table.results.count == 250 && table.results.heldCount == 0)
            let path = FetchedPath(section: 0, item: 249)
            try await table.willShow([path])
            #expect(table.results.heldCount == 50)
            #expect(table.song(at: path)?.title == "Song 1250")
            try await stack.write { try Song.where { $0.title == "Song 1001" }.deleteAll(in: $0) }
            var following = changes.makeAsyncIterator()
            #expect(await following.next()?.deletions == [FetchedPath(section: 0, item: 0)])
            #expect(table.song(at: path) == nil)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Kind.allCases)
    func `a list of keys gives its visible rows`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let prince = try await stack.add(Artist(name: "Prince"))
            try await stack.write { tx in
                for number in 1...250 { try tx.insert(Song(title: "Song \(1_000 + number)", artist: Ref(prince))) }
            }
            let (shown, titles) = AsyncStream.makeStream(of: [String?].self)
            let task = Task {
                try await followSongs(247..<260, in: stack) { total, songs in
                    titles.yield([String(total)] + songs.map { $0?.title })
                }
            }
            var values = shown.makeAsyncIterator()
            #expect(await values.next() == ["250", "Song 1248", "Song 1249", "Song 1250"])
            task.cancel()
            _ = await task.result
        }
    }

    @MainActor @Test(.timeLimit(.minutes(5)), arguments: Kind.allCases)
    func `a table follows the main context`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            try await stack.add(Artist(name: "Prince"))
            let (changes, continuation) = AsyncStream.makeStream(of: FetchedChanges.self)
            let table = try ArtistTable(stack) { continuation.yield($0) }
            #expect(table.titles == ["P"])
            try stack.mainContext.insert(Artist(name: "Björk"))
            var following = changes.makeAsyncIterator()
            #expect(await following.next()?.insertedSections == [0])
            #expect(table.titles == ["B", "P"])
            #expect(table.artist(at: FetchedPath(section: 1, item: 0))?.name == "Prince")
            try stack.mainContext.rollback()
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Kind.allCases)
    func `a song that becomes popular is told`(_ kind: Kind) async throws {
        try await withMusic(kind) { (stack: Stack) async throws in
            let artist = try await stack.add(Artist(name: "Prince"))
            let (hits, continuation) = AsyncStream.makeStream(of: [String].self)
            let following = Task { try await followHits(in: stack) { _ = continuation.yield($0) } }
            // The loop may begin at any moment: more popular songs come until it tells of one.
            let writing = Task {
                while !Task.isCancelled {
                    let song = try await stack.write { try $0.insert(Song(title: "Kiss", artist: Ref(artist))) }
                    try await stack.write { try $0.update(Song.self, song.id) { $0.plays = 101 } }
                }
            }
            var values = hits.makeAsyncIterator()
            #expect(await values.next() == ["Kiss"])
            writing.cancel()
            _ = await writing.result
            following.cancel()
            _ = await following.result
        }
    }
}
