import Foundation
import Granary

func ask(_ snapshot: Snapshot) throws -> [String] {
    // Records. Nil is a value: it is equal to nil, different from the rest, and neither less nor greater.
    let liked = Artist.where { $0.rating >= 4.5 && !$0.name.hasPrefix("The ") }.sorted(by: \.name).limit(20)
    var names = try snapshot.fetch(liked).map(\.name)

    // Through relationships, to any depth; `explain` says with which index.
    let loud = Song.where { $0.artist.rating > 4 && $0.plays > $0.title.length }
    names += try snapshot.fetch(loud.sorted(by: { $0.artist.name })).map(\.title)
    let known = Artist.where { $0.songs.contains { $0.plays > 5 } && $0.songs.sum(\.plays) < 100 }
    names += try snapshot.fetch(known).map(\.name)

    // Statements mean "and". Each is checked by itself: the compiler is fast, and finds an error in its own line.
    let played = Song.where {
        $0.plays > 5
        $0.artist.rating > 4
        100 - $0.plays > $0.title.length
    }
    names += try played.fetch(in: snapshot).map(\.title)

    // Values instead of records, each once.
    names += try snapshot.fetch(Song.where { $0.plays > 0 }.select { $0.artist.name }.distinct())

    // One record a group.
    let plays = Song.all.grouped(by: { $0.artist.name })
        .having { $0.plays.sum > 3 }
        .select { ($0.artist.name, $0.plays.sum) }
    for (name, sum) in try plays.fetch(in: snapshot) { names.append("\(name): \(sum)") }

    // Parents with their children: one query for the artists, one for all their songs.
    for (artist, songs) in try snapshot.fetch(Artist.all.with { $0.songs }) {
        names.append("\(artist.name) has \(songs.count)")
    }
    return names
}

func pages(_ snapshot: Snapshot) throws -> [[String]] {
    // Page after page, each found by where the last one ended, however far in.
    let query = Song.sorted(by: \.plays, .descending)
    var pages: [[String]] = []
    var position: PagePosition?
    repeat {
        let page = try query.page(in: snapshot, after: position, size: 2)
        pages.append(page.records.map(\.title))
        position = page.hasMore ? page.end : nil
    } while position != nil
    return pages
}

func change(_ tx: Transaction) throws {
    try Release.where { $0.title == "Kiss" }.updateAll(in: tx) {
        $0.set(\.year, to: 1985)
        $0.year += 1
    }
    try Release.where { $0.year == nil }.updateAll(in: tx) {
        $0.set(\.year, to: $0.artist.songs.maximum(\.plays))
        $0.set(\.title, to: $0.artist.name ?? "")
    }
}

struct Sleeve: Codable, Sendable {
    var colours: [String]
    var inches: Int
}

@Record struct Release {
    @Key(.assigned) var id: Int64 = 0
    @Index @Index(.caseInsensitive, .diacriticInsensitive) var title: String
    var year: Int?
    var recorded: Date?
    var released: Date?
    @Attribute(.json) var sleeve: Sleeve?
    var artist: Ref<Artist>
}

func askMore(_ snapshot: Snapshot) throws -> [[String]] {
    let either: TextFolding = [.caseInsensitive, .diacriticInsensitive]
    let queries = [
        Release.where { $0.title.like("?espert*") },
        Release.where { $0.title.matches(#"\d{4}"#) },
        Release.where { $0.title.hasPrefix("hom", either) || $0.title.equals("JOGA", either) },
        Release.where { $0.year.in([1982, 1984, nil]) },
        Release.where { $0.year.in(1990..<2000) },
        Release.where { $0.title.in(Song.where { $0.plays > 5 }.select(\.title)) },
        Release.where { $0.artist.in(Artist.sorted(by: \.rating, .descending).limit(1)) },
        Release.where { $0.sleeve.value(at: "colours[0]", as: String.self) == "purple" },
        Release.where { $0.sleeve.value(at: "inches", as: Int.self) < 12 },
        Release.sorted(by: \.year, nils: .last).sorted(by: { $0.title.folded(either) }, .descending),
    ]
    return try queries.map { try snapshot.fetch($0).map(\.title) }
}
