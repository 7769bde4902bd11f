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

    // Values instead of records, each once.
    names += try snapshot.fetch(Song.where { $0.plays > 0 }.select { $0.artist.name }.distinct())

    // One record a group.
    let plays = Song.grouped(by: { $0.artist.name }, select: { ($0.artist.name, $0.plays.sum) })
    for (name, sum) in try snapshot.fetch(plays.having { $0.plays.sum > 3 }) { names.append("\(name): \(sum)") }

    // Parents with their children: one query for the artists, one for all their songs.
    for (artist, songs) in try snapshot.fetch(Artist.all, with: { $0.songs }) {
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
        let page = try snapshot.page(query, after: position, size: 2)
        pages.append(page.records.map(\.title))
        position = page.hasMore ? page.end : nil
    } while position != nil
    return pages
}
