import Foundation
import Granary
import Testing

struct TypedQueryTests {
    private let stack: Stack
    init() throws { stack = try openShop() }

    private func ids<R: Record>(_ query: Query<R>) throws -> [R.Key] {
        try stack.blocking.read { try $0.fetch(query).map(\.id) }
    }

    @Test func `paths lead through references`() throws {
        try #expect(ids(Song.where { $0.album.artist.name == "Jimi Hendrix" }) == [100, 101, 102])
        try #expect(ids(Song.where { $0.album.artist.genre.name == "Jazz" && $0.plays > 40 }) == [103])
        try #expect(ids(Artist.where { $0.genre.name != "Rock" }) == [2, 3])
        try #expect(ids(Artist.where { $0.genre.name == nil }) == [3])
        try #expect(
            ids(Song.sorted(by: \.album.artist.name, .descending).sorted(by: \.plays)) == [
                105, 104, 103, 101, 102, 100,
            ])
    }

    @Test func `fields are compared with each other and computed with`() throws {
        try #expect(ids(Song.where { $0.plays > $0.track * 30 }) == [100, 103])
        try #expect(ids(Song.where { $0.skips ?? 0 == 0 }) == [101, 103, 105])
        try #expect(ids(Song.where { $0.plays + $0.skips == 55 }) == [100])
        try #expect(ids(Song.where { $0.price * 2 >= 2.58 }) == [102, 103])
        try #expect(ids(Song.where { $0.album.released.year == 1967 }) == [100, 101, 102])
        try #expect(ids(Song.where { $0.sleeve.value(at: "pages", as: Int.self) > 3 }) == [103])
        try #expect(ids(Song.where { $0.title.length == 4 }) == [101])
    }

    @Test func `money compares with the Decimal that a program has`() throws {
        let limit = try #require(Decimal(string: "0.99"))
        let none: Decimal? = nil
        try #expect(ids(Song.where { $0.price == limit && $0.plays > 20 }) == [100, 104])
        try #expect(ids(Song.where { $0.price > limit && $0.price <= limit * 2 }) == [102, 103])
        try #expect(ids(Song.where { $0.price.in(limit...limit) }) == [100, 101, 104])
        try #expect(ids(Song.where { $0.price == none }) == [])
        try stack.blocking.write { tx in
            try Song.where { $0.id == 105 }.updateAll(in: tx) { $0.set(\.price, to: limit) }
            #expect(try tx.find(Song.self, 105)?.price == limit)
        }
    }

    @Test func `texts are matched with and without case and diacritics`() throws {
        try #expect(ids(Artist.where { $0.name.contains("BJORK", [.caseInsensitive, .diacriticInsensitive]) }) == [3])
        try #expect(ids(Artist.where { $0.name.equals("jimi hendrix", .caseInsensitive) }) == [1])
        try #expect(ids(Album.where { $0.title.hasPrefix("A") }) == [10, 11])
        try #expect(ids(Song.where { $0.title.like("*r?i*") }) == [104])
        try #expect(ids(Song.where { $0.title.matches("S\\w+( Fruit)?") }) == [103, 104])
        try #expect(ids(Artist.sorted(by: { $0.name.folded(.caseInsensitive) })) == [3, 1, 2])
    }

    @Test func `to-many relationships are asked`() throws {
        try #expect(ids(Album.where { $0.songs.contains { $0.plays > 45 } }) == [10, 12])
        try #expect(ids(Album.where { $0.songs.allSatisfy { $0.plays > 0 } }) == [10, 11])
        try #expect(ids(Artist.where { $0.albums.isEmpty }) == [3])
        try #expect(ids(Album.where { $0.songs.count >= 2 }) == [10, 12])
        try #expect(ids(Album.where { $0.songs.sum(\.plays) > 60 }) == [10, 12])
        try #expect(ids(Album.where { $0.songs.maximum(\.plays) == 30 }) == [11])
        try #expect(ids(Song.where { $0.album.artist.albums.count == 2 }) == [100, 101, 102])
        try #expect(ids(Employee.where { $0.reports.contains { $0.reports.isEmpty } }) == [1, 2])
        try #expect(ids(Artist.where { $0.albums.contains { $0.songs.contains { $0.title == "Fire" } } }) == [1])
    }

    @Test func `subqueries give what to look among`() throws {
        try #expect(ids(Album.where { $0.artist.in(Artist.where { $0.rating > 4 }) }) == [10, 11])
        try #expect(
            ids(Song.where { $0.id.in(Song.sorted(by: \.plays, .descending).limit(2).select(\.id)) }) == [100, 103])
    }

    @Test func `chosen values come as tuples`() throws {
        try stack.blocking.read { snapshot in
            let rows = try snapshot.fetch(
                Song.where { $0.plays >= 50 }.select { ($0.title, $0.album.artist.name, $0.price) })
            #expect(rows.map(\.0) == ["Purple Haze", "Sinnerman"])
            #expect(rows.map(\.1) == ["Jimi Hendrix", "Nina Simone"])
            #expect(rows.map(\.2) == [0.99, 1.49])
            #expect(try snapshot.fetch(Song.sorted(by: \.track).select(\.track).distinct()) == [1, 2, 3])
            #expect(try snapshot.count(Song.all.select(\.track).distinct()) == 3)
            struct Summary: Equatable { var title: String; var plays: Int }
            #expect(
                try Song.where { $0.id == 102 }.select { ($0.title, $0.plays) }.fetch(in: snapshot, as: Summary.init)
                    == [Summary(title: "Little Wing", plays: 30)])
        }
    }

    @Test func `groups are counted, filtered and ordered`() throws {
        try stack.blocking.read { snapshot in
            let rows = try snapshot.fetch(
                Song.all.grouped(by: { $0.album.artist.name })
                    .having { $0.plays.sum > 10 }.select { ($0.album.artist.name, $0.id.count, $0.plays.sum) }
                    .sorted(by: { $0.plays.sum }, .descending))
            #expect(rows.map(\.0) == ["Nina Simone", "Jimi Hendrix"])
            #expect(rows.map(\.1) == [3, 3])
            #expect(rows.map(\.2) == [110, 100])
            let decades = try snapshot.fetch(
                Album.all.grouped(by: { $0.released.year }).select { ($0.released.year, $0.id.count) })
            #expect(decades.map(\.0) == [nil, 1967])
            let (count, total, average, longest) = try Song.all.select {
                ($0.id.count, $0.plays.sum, $0.skips.average, $0.title.maximum)
            }.aggregate(in: snapshot)
            #expect((count, total, average, longest) == (6, 210, 2, "Strange Fruit"))
            #expect(try Song.where { $0.track == 1 }.sum(\.price, in: snapshot) == 3.77)
            #expect(try Song.where { $0.plays > 1000 }.minimum(\.plays, in: snapshot) == nil)
        }
    }

    @Test func `pages follow each other and lead back`() throws {
        try stack.blocking.read { snapshot in
            let query = Song.sorted(by: \.skips, .descending)
            let all = try snapshot.fetch(query).map(\.id)
            #expect(all == [100, 104, 102, 103, 105, 101])
            var pages: [[Int64]] = []
            var page = try query.page(in: snapshot, size: 2)
            while true {
                pages.append(page.records.map(\.id))
                guard page.hasMore, let end = page.end else { break }
                page = try query.page(in: snapshot, after: end, size: 2)
            }
            #expect(pages == [[100, 104], [102, 103], [105, 101]])
            let start = try #require(page.start)
            #expect(try query.page(in: snapshot, before: start, size: 3).records.map(\.id) == [104, 102, 103])
        }
    }

    @Test func `records come with what is related to them, and with what that is related to`() throws {
        try stack.blocking.read { snapshot in
            let loaded = try snapshot.fetch(Artist.all.with({ $0.genre }, { $0.albums.with { $0.songs } }))
            #expect(loaded.map(\.1?.name) == ["Rock", "Jazz", nil])
            #expect(loaded.map { $0.2.map { $0.0.id } } == [[10, 11], [12], []])
            #expect(loaded.map { $0.2.map { $0.1.map(\.id) } } == [[[100, 101], [102]], [[103, 104, 105]], []])
            let songs = try snapshot.fetch(Song.where { $0.id == 103 }.with { $0.album.with { $0.artist } })
            #expect(songs.first?.1?.1.name == "Nina Simone")
        }
    }

    @Test func `links are made, moved and ended, seen from both sides`() throws {
        try stack.blocking.write { tx in
            let evening = try #require(try tx.find(Playlist.self, 1000))
            let songs = try tx.find(Song.self, [103, 100, 102])
            try evening.songs.add(songs, in: tx)
            try evening.songs.add(songs[0], in: tx)
            #expect(try evening.songs.all.fetch(in: tx).map(\.id) == [103, 100, 102])
            try evening.songs.move(from: 2, to: 0, in: tx)
            #expect(try evening.songs.all.fetch(in: tx).map(\.id) == [102, 103, 100])
            try evening.songs.insert(try #require(try tx.find(Song.self, 104)), at: 1, in: tx)
            #expect(try evening.songs.all.fetch(in: tx).map(\.id) == [102, 104, 103, 100])
            #expect(try songs[0].playlists.all.fetch(in: tx).map(\.name) == ["Evening"])
            try songs[0].playlists.remove(evening, in: tx)
            #expect(try evening.songs.all.fetch(in: tx).map(\.id) == [102, 104, 100])
            try evening.songs.replace(with: songs, in: tx)
            #expect(try evening.songs.all.fetch(in: tx).map(\.id) == [103, 100, 102])
            #expect(try tx.fetch(Playlist.where { $0.songs.contains { $0.plays > 60 } }).map(\.id) == [1000])
            #expect(try tx.fetch(Song.where { $0.playlists.isEmpty }).map(\.id) == [101, 104, 105])
            let loaded = try tx.fetch(Playlist.all.with { $0.songs.with { $0.playlists } })
            #expect(loaded.map { $0.1.map { $0.0.id } } == [[103, 100, 102], []])
            try tx.delete(songs[1])
            #expect(try evening.songs.all.fetch(in: tx).map(\.id) == [103, 102])
        }
    }

    @Test func `records are found and created by what they equal`() throws {
        try stack.blocking.write { tx in
            let rock = try Genre.findOrCreate(where: { $0.name == "Rock" }, in: tx)
            let blues = try Genre.findOrCreate(where: { $0.name == "Blues" }, in: tx)
            #expect((rock.id, blues.id, blues.name) == (1, 3, "Blues"))
            #expect(try Genre.count(in: tx) == 3)
            #expect(try Genre.deleteAll(except: [rock], in: tx) == 2)
            #expect(try Song.all.first(maximumOf: \.plays, in: tx)?.id == 103)
            #expect(try Song.sorted(by: "-plays").first(in: tx)?.id == 103)
            #expect(
                try Song.all.sorted(by: "album.title,-track").fetch(in: tx).map(\.id) == [101, 100, 102, 105, 104, 103])
        }
    }

    @Test @MainActor func `.main is the default stack's main context`() throws {
        do {
            _ = try Song.find(100, in: .main)
            Issue.record("a finder answered without a default stack")
        } catch let error as GranaryError {
            #expect(error.code == .noDefaultStack)
        }
        try Stack.withDefault(stack) { () throws in
            #expect(try Song.find(100, in: .main)?.title == "Purple Haze")
            #expect(try Song.where { $0.plays > 45 }.fetch(in: .main).map(\.id) == [100, 103])
            #expect(try Song.count(in: .main) == 6)
        }
    }

    @Test @MainActor func `what is changed in .main is pending there`() throws {
        try Stack.withDefault(stack) { () throws in
            var haze = try #require(try Song.find(100, in: .main))
            haze.plays = 7
            try haze.update(in: .main)
            let made = try Genre.findOrCreate(where: { $0.name == "Fado" }, in: .main)
            #expect(try Genre.findOrCreate(where: { $0.name == "Fado" }, in: .main).id == made.id)
            #expect(try Song.where { $0.plays == 7 }.fetch(in: .main).map(\.id) == [100])
            #expect(try haze.refreshed(in: .main)?.plays == 7)
            #expect(try Song.all.sorted(by: "-plays").last(in: .main)?.plays == 0)
            #expect(try Song.where { $0.plays == 0 }.deleteAll(in: .main) == 1)
            #expect(try Song.count(in: .main) == 5)
            // A call that fails has done nothing of it.
            #expect(throws: GranaryError.self) { try Genre(id: made.id, name: "Fado").insert(in: .main) }
            #expect(try stack.mainContext.changes.count == 3)
            let (songs, genres) = try stack.blocking.read {
                (try Song.count(in: $0), try $0.exists(Genre.self, made.id))
            }
            #expect((songs, genres) == (6, false))
            try stack.mainContext.blocking.save()
            #expect(try stack.blocking.read { try Song.count(in: $0) } == 5)
            #expect(try stack.blocking.read { try Song.find(100, in: $0)?.plays } == 7)
        }
    }

    @Test func `stale records are purged`() throws {
        #expect(try stack.blocking.purgeStale() == ["Song": 1])
        #expect(try stack.blocking.purgeStale() == [:])
    }

    @Test func `stale records are purged at each signal, and no longer once the signals end`() async throws {
        let (signals, source) = AsyncStream.makeStream(of: Void.self)
        let schedule = stack.purgeStale(on: signals)
        #expect(try await stack.read { try $0.count(Song.all) } == 6)
        source.yield()
        source.finish()
        await schedule.finished()
        #expect(try await stack.read { try $0.fetch(Song.all).map(\.id) } == [100, 101, 102, 103, 104])
    }

    @Test(.timeLimit(.minutes(5))) func `stale records are purged at once and again until it is cancelled`()
        async throws
    {
        let schedule = stack.purgeStale(every: .milliseconds(1))
        while try await stack.read({ try Song.where { $0.plays == 0 }.exists(in: $0) }) { await Task.yield() }
        _ = try await stack.write { try Song.where { $0.id == 100 }.updateAll(in: $0) { $0.set(\.plays, to: 0) } }
        while try await stack.read({ try Song.where { $0.id == 100 }.exists(in: $0) }) { await Task.yield() }
        schedule.cancel()
        await schedule.finished()
        _ = try await stack.write { try Song.where { $0.id == 101 }.updateAll(in: $0) { $0.set(\.plays, to: 0) } }
        #expect(try await stack.read { try $0.fetch(Song.all).map(\.id) } == [101, 102, 103, 104])
    }

    @Test func `a literal that is only partly a number is refused beside a decimal`() throws {
        try stack.blocking.read { (snapshot: Snapshot) throws in
            #expect(try snapshot.fetch(Song.where("price == '1.49'")).map(\.id) == [103])
            for text in ["1.49x", "x", "", "1.499", "0x10"] {
                #expect(throws: GranaryError.self) { try snapshot.fetch(Song.where("price == %@", text)) }
                #expect(throws: GranaryError.self) { try snapshot.fetch(Song.where("price == '\(text)'")) }
            }
        }
    }

    @Test func `records without types are read and written by name`() throws {
        try stack.blocking.write { tx in
            var artist = try DynamicRecord("Artist", in: tx.schema)
            try artist.set("id", to: 9)
            try artist.set("name", to: "Can")
            try tx.insert(artist)
            #expect(try tx.find(Artist.self, 9)?.name == "Can")
            let query = Request("Song").where(.compare("plays", .greater, .integer(45))).sorted(
                by: "-album.artist.name")
            #expect(try tx.fetch(query).map(\.key) == [.integer(103), .integer(100)])
            #expect(try tx.count(query) == 2)
            #expect(
                try query.select([.attribute("title"), .attribute("album.artist.name")]).fetch(in: tx)
                    == [
                        [.string("Sinnerman"), .string("Nina Simone")],
                        [.string("Purple Haze"), .string("Jimi Hendrix")],
                    ])
        }
    }
}
