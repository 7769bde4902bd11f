import Granary
import GranaryMemory
import Testing

// What is asked in one line, where the place it stands in takes `Any`. That it compiles, in Swift 6 mode, is most of the test.
struct OneLineTests {
    private let stack: Stack
    init() throws { stack = try openShop() }

    @Test func `values are chosen by key path`() throws {
        try stack.blocking.read { s in
            print(try s.fetch(Song.all.select(\.title)).count)
            print(try s.fetch(Song.all.select(\.title)).count, try s.fetch(Song.all.select(\.title)).first!)
            print(try Song.all.select(\.title).fetch(in: s).count)
            print(try Song.all.select(\.title).distinct().limit(2).fetch(in: s).prefix(1).count)
            print(try Song.all.select(\.album.artist.name).first(in: s) ?? "")
        }
    }

    @Test func `values are chosen by key path, as expected`() throws {
        try stack.blocking.read { (s: Snapshot) throws in
            #expect(try s.fetch(Song.all.select(\.title)).count == 6)
            #expect(try Song.all.select(\.plays).fetch(in: s).max() == 70)
            #expect("\(try s.fetch(Song.all.select(\.track).distinct()).count)" == "3")
        }
    }

    @Test func `one to six values are chosen by a closure`() throws {
        try stack.blocking.read { s in
            print(try s.fetch(Song.all.select { $0.title }).count)
            print(try s.fetch(Song.all.select { ($0.id, $0.title) }).count)
            print(try s.fetch(Song.all.select { ($0.id, $0.title, $0.track) }).count)
            print(try s.fetch(Song.all.select { ($0.id, $0.title, $0.track, $0.plays) }).count)
            print(try s.fetch(Song.all.select { ($0.id, $0.title, $0.track, $0.plays, $0.skips) }).count)
            print(try s.fetch(Song.all.select { ($0.id, $0.title, $0.track, $0.plays, $0.skips, $0.price) }).count)
            print(try Song.all.select { ($0.id, $0.title) }.fetch(in: s).count)
            print(try Song.all.select { ($0.id, $0.title, $0.album.artist.name) }.fetch(in: s).prefix(2).count)
            print(try s.fetch(Song.where { $0.plays > 20 }.select { ($0.id, $0.title) }).first!.1)
            print(try s.first(Song.all.select { ($0.id, $0.title) })!.1)
            print(try s.fetch(Song.all.select { ($0.plays * 2 + 1, $0.title.length - 3) }).count)
        }
    }

    @Test func `one to six values are chosen by a closure, as expected`() throws {
        try stack.blocking.read { (s: Snapshot) throws in
            #expect(try s.fetch(Song.all.select { ($0.id, $0.title) }).count == 6)
            #expect(try s.fetch(Song.all.select { ($0.id, $0.title, $0.plays) }).map(\.2).max() == 70)
            #expect(try s.first(Song.all.select { ($0.id, $0.title) })?.0 == 100)
            #expect("\(try Song.all.select { ($0.id, $0.title) }.fetch(in: s).first!.1)" == "Purple Haze")
        }
    }

    @Test func `more values are chosen where the answer has a name`() throws {
        try stack.blocking.read { s in
            let rows = try s.fetch(
                Song.all.select { ($0.id, $0.title, $0.track, $0.plays, $0.skips, $0.price, $0.album) })
            #expect(rows.map(\.6.key) == [10, 10, 11, 12, 12, 12])
        }
    }

    @Test func `groups are counted`() throws {
        try stack.blocking.read { s in
            print(try s.fetch(Song.all.grouped(by: \.album).select(\.album)).count)
            print(try s.fetch(Song.all.grouped(by: { $0.album }).select { ($0.album, $0.id.count) }).count)
            print(
                try s.fetch(Song.all.grouped(by: { $0.album }).select { ($0.album, $0.id.count, $0.plays.sum) }).count
            )
            print(try Song.all.grouped(by: { $0.album }).select { ($0.album, $0.id.count) }.fetch(in: s).first!.1)
            print(
                try Song.all.grouped(by: { ($0.album, $0.track) })
                    .having { $0.id.count > 0 }.select { ($0.album, $0.track, $0.id.count, $0.plays.sum) }.fetch(in: s)
                    .prefix(2).count)
            print(
                try s.fetch(
                    Song.all.grouped(by: { $0.album }).select {
                        ($0.album, $0.id.count, $0.plays.sum, $0.plays.minimum, $0.plays.maximum)
                    }
                ).count)
            print(
                try s.fetch(
                    Song.all.grouped(by: { $0.album }).select {
                        ($0.album, $0.id.count, $0.plays.sum, $0.plays.minimum, $0.price.sum, $0.skips.sum)
                    }
                ).count)
        }
    }

    @Test func `groups are counted, as expected`() throws {
        try stack.blocking.read { (s: Snapshot) throws in
            #expect(try s.fetch(Song.all.grouped(by: \.album).select(\.album)).count == 3)
            #expect(try s.fetch(Song.all.grouped(by: { $0.album }).select { ($0.album, $0.id.count) }).count == 3)
            #expect("\(try Song.all.grouped(by: \.album).select { ($0.album, $0.id.count) }.fetch(in: s).count)" == "3")
        }
    }

    @Test func `aggregates come at once`() throws {
        try stack.blocking.read { s in
            print(try Song.all.select { $0.plays.sum }.aggregate(in: s))
            print(try Song.all.select { ($0.id.count, $0.plays.sum) }.aggregate(in: s).0)
            print(try Song.where { $0.plays > 20 }.select { ($0.id.count, $0.plays.maximum) }.aggregate(in: s).1 ?? 0)
            print(
                try Song.all.select { ($0.id.count, $0.plays.sum, ($0.plays * 2 + 1).average) }.aggregate(in: s).2 ?? 0)
        }
    }

    @Test func `aggregates come at once, as expected`() throws {
        try stack.blocking.read { (s: Snapshot) throws in
            #expect(try Song.all.select { ($0.id.count, $0.plays.maximum) }.aggregate(in: s).0 == 6)
            #expect("\(try Song.all.select { ($0.id.count, $0.plays.maximum) }.aggregate(in: s).0)" == "6")
        }
    }

    @Test func `records come with what is related to them`() throws {
        try stack.blocking.read { s in
            print(try s.fetch(Artist.all.with { $0.albums }).count)
            print(try s.fetch(Artist.all.with(\.albums)).count)
            print(try s.fetch(Artist.all.with({ $0.albums }, { $0.genre })).count)
            print(try s.fetch(Artist.all.with(\.albums, \.genre))[0].1.count)
            print(try s.fetch(Song.all.with(\.album, \.playlists)).prefix(2).count)
            print(try s.fetch(Artist.all.with { $0.albums.with { $0.songs } }).count)
            print(try s.fetch(Song.all.with({ $0.album.with(\.artist) }, { $0.playlists })).first!.0.title)
            print(try s.fetch(Artist.where { $0.id > 1 && $0.name != "x" }.with(\.albums, \.genre, \.albums))[0].3)
            print(try s.fetch(Artist.all.with(\.albums, \.genre, \.albums, \.genre)).count)
            print(try s.fetch(Artist.all.with(\.albums, \.genre, \.albums, \.genre, \.albums)).count)
            print(try s.fetch(Artist.all.with(\.albums, \.genre, \.albums, \.genre, \.albums, \.genre))[0].6 as Any)
        }
    }

    @Test func `records come with what is related to them, in every verb`() throws {
        try stack.blocking.read { s in
            let artists = try s.fetch(Artist.all)
            print(try Artist.all.with(\.albums).fetch(in: s).count)
            print(try Artist.all.with({ $0.albums }, { $0.genre }, { $0.albums }).fetch(in: s).first!.3.count)
            print(try s.first(Artist.all.with(\.albums))!.1.count)
            print(try s.first(Artist.where { $0.id == 1 }.with(\.albums, \.genre))!.1[0].title)
            let page = try Artist.all.page(in: s, size: 1)
            print(try Artist.all.with(\.albums).page(in: s, size: 2).records.count)
            print(try Artist.all.with(\.albums).page(in: s, after: page.end, size: 2).records[0].1.count)
            print(try Artist.all.with(\.albums, \.genre).page(in: s, before: nil, size: 2).records[0].1.count)
            print(try Artist.all.with(\.albums).load(artists, in: s).count)
            print(try Artist.all.with(\.albums, \.genre).load(artists, in: s)[0].1[0].title)
        }
    }

    @Test @MainActor func `records of the default stack come with what is related to them`() throws {
        try Stack.withDefault(stack) {
            print(try Artist.all.with(\.albums).fetch(in: .main).count)
            print(try Artist.all.with(\.albums, \.genre).fetch(in: .main)[0].1.count)
        }
    }

    @Test func `records come with what is related to them, as expected`() throws {
        try stack.blocking.read { (s: Snapshot) throws in
            #expect(try s.fetch(Artist.all.with { $0.albums }).map(\.1.count) == [2, 1, 0])
            #expect(try Artist.all.with(\.albums).fetch(in: s).count == 3)
            #expect(try s.first(Artist.all.with({ $0.albums }, { $0.genre }))?.1.count == 2)
            #expect("\(try s.fetch(Artist.all.with(\.albums)).count)" == "3")
            #expect("\(try Artist.all.with(\.albums, \.genre).page(in: s, size: 2).records.count)" == "2")
        }
    }

    @Test func `more relationships are loaded where the answer has a name`() throws {
        try stack.blocking.read { s in
            let rows = try s.fetch(
                Artist.all.with(
                    \.albums, \.genre, \.albums, \.genre, \.albums, \.genre, \.albums, { $0.albums.with(\.songs) }))
            #expect(rows.map(\.7.count) == [2, 1, 0])
            #expect(rows[0].8.map(\.1.count) == [2, 1])
        }
    }
}
