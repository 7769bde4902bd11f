import Granary
import GranaryMemory
import Testing

// What is asked in one line, where the place it stands in takes `Any`. That it compiles, in Swift 6 mode, is most of the test.
struct OneLineTests {
    private let stack: Stack
    init() throws { stack = try openShop() }

    @Test func `values are chosen by key path`() throws {
        try stack.read { s in
            print(try s.fetch(Song.all.select(\.title)).count)
            print(try s.fetch(Song.select(\.title)).count, try s.fetch(Song.select(\.title)).first!)
            print(try Song.all.select(\.title).fetch(in: s).count)
            print(try Song.select(\.title).distinct().limit(2).fetch(in: s).prefix(1).count)
            print(try Song.select(\.album.artist.name).first(in: s) ?? "")
        }
    }

    @Test func `values are chosen by key path, as expected`() throws {
        try stack.read { (s: Snapshot) throws in
            #expect(try s.fetch(Song.select(\.title)).count == 6)
            #expect(try Song.select(\.plays).fetch(in: s).max() == 70)
            #expect("\(try s.fetch(Song.select(\.track).distinct()).count)" == "3")
        }
    }

    @Test func `one to six values are chosen by a closure`() throws {
        try stack.read { s in
            print(try s.fetch(Song.select { $0.title }).count)
            print(try s.fetch(Song.select { ($0.id, $0.title) }).count)
            print(try s.fetch(Song.select { ($0.id, $0.title, $0.track) }).count)
            print(try s.fetch(Song.select { ($0.id, $0.title, $0.track, $0.plays) }).count)
            print(try s.fetch(Song.select { ($0.id, $0.title, $0.track, $0.plays, $0.skips) }).count)
            print(try s.fetch(Song.select { ($0.id, $0.title, $0.track, $0.plays, $0.skips, $0.price) }).count)
            print(try Song.select { ($0.id, $0.title) }.fetch(in: s).count)
            print(try Song.select { ($0.id, $0.title, $0.album.artist.name) }.fetch(in: s).prefix(2).count)
            print(try s.fetch(Song.where { $0.plays > 20 }.select { ($0.id, $0.title) }).first!.1)
            print(try s.first(Song.select { ($0.id, $0.title) })!.1)
            print(try s.fetch(Song.select { ($0.plays * 2 + 1, $0.title.length - 3) }).count)
        }
    }

    @Test func `one to six values are chosen by a closure, as expected`() throws {
        try stack.read { (s: Snapshot) throws in
            #expect(try s.fetch(Song.select { ($0.id, $0.title) }).count == 6)
            #expect(try s.fetch(Song.select { ($0.id, $0.title, $0.plays) }).map(\.2).max() == 70)
            #expect(try s.first(Song.select { ($0.id, $0.title) })?.0 == 100)
            #expect("\(try Song.select { ($0.id, $0.title) }.fetch(in: s).first!.1)" == "Purple Haze")
        }
    }

    @Test func `more values are chosen where their type is known at once`() throws {
        try stack.read { s in
            let rows = try s.fetch(
                Song.select { ($0.id, $0.title, $0.track, $0.plays, $0.skips, $0.price, $0.album) })
            #expect(rows.map(\.6.key) == [10, 10, 11, 12, 12, 12])
        }
    }

    @Test func `groups are counted`() throws {
        try stack.read { s in
            print(try s.fetch(Song.grouped(by: \.album, select: \.album)).count)
            print(try s.fetch(Song.grouped(by: { $0.album }, select: { ($0.album, $0.id.count) })).count)
            print(
                try s.fetch(Song.all.grouped(by: { $0.album }, select: { ($0.album, $0.id.count, $0.plays.sum) })).count
            )
            print(try Song.grouped(by: { $0.album }, select: { ($0.album, $0.id.count) }).fetch(in: s).first!.1)
            print(
                try Song.grouped(
                    by: { ($0.album, $0.track) }, select: { ($0.album, $0.track, $0.id.count, $0.plays.sum) }
                )
                .having { $0.id.count > 0 }.fetch(in: s).prefix(2).count)
            print(
                try s.fetch(
                    Song.grouped(
                        by: { $0.album },
                        select: { ($0.album, $0.id.count, $0.plays.sum, $0.plays.minimum, $0.plays.maximum) })
                ).count)
            print(
                try s.fetch(
                    Song.grouped(
                        by: { $0.album },
                        select: { ($0.album, $0.id.count, $0.plays.sum, $0.plays.minimum, $0.price.sum, $0.skips.sum) })
                ).count)
        }
    }

    @Test func `groups are counted, as expected`() throws {
        try stack.read { (s: Snapshot) throws in
            #expect(try s.fetch(Song.grouped(by: \.album, select: \.album)).count == 3)
            #expect(try s.fetch(Song.grouped(by: { $0.album }, select: { ($0.album, $0.id.count) })).count == 3)
            #expect("\(try Song.grouped(by: \.album, select: { ($0.album, $0.id.count) }).fetch(in: s).count)" == "3")
        }
    }

    @Test func `records come with what is related to them`() throws {
        try stack.read { s in
            print(try s.fetch(Artist.all, with: { $0.albums }).count)
            print(try s.fetch(Artist.all, with: \.albums).count)
            print(try s.fetch(Artist.all, with: { $0.albums }, { $0.genre }).count)
            print(try s.fetch(Artist.all, with: { $0.albums }, { $0.genre }).first!.1.count)
            print(try s.fetch(Song.all, with: \.album, \.playlists).prefix(2).count)
            print(try s.fetch(Artist.all, with: { $0.albums.with { $0.songs } }).count)
            print(try s.fetch(Song.all, with: { $0.album.with { $0.artist } }, { $0.playlists }).first!.0.title)
            print(try Artist.all.fetch(in: s, with: { $0.albums }).count)
            print(try Artist.all.fetch(in: s, with: { $0.albums }, { $0.genre }, { $0.albums }).first!.3.count)
            print(try s.first(Artist.all, with: { $0.albums })!.1.count)
            print(try s.first(Artist.all, with: { $0.albums }, { $0.genre })!.1.first!.title)
            print(try s.page(Artist.all, size: 2, with: { $0.albums }).records.count)
            print(try s.page(Artist.all, size: 2, with: { $0.albums }, { $0.genre }).records.first!.1.count)
        }
    }

    @Test func `records come with what is related to them, as expected`() throws {
        try stack.read { (s: Snapshot) throws in
            #expect(try s.fetch(Artist.all, with: { $0.albums }).map(\.1.count) == [2, 1, 0])
            #expect(try Artist.all.fetch(in: s, with: \.albums).count == 3)
            #expect(try s.first(Artist.all, with: { $0.albums }, { $0.genre })?.1.count == 2)
            #expect("\(try s.fetch(Artist.all, with: { $0.albums }).count)" == "3")
            #expect("\(try s.page(Artist.all, size: 2, with: \.albums, \.genre).records.count)" == "2")
        }
    }
}
