import Foundation
import GranaryCore

/// The questions as Granary's documentation asks them, each in a read of its own.
final class GranaryCatalogue<Choice: StoreChoice>: CatalogueSubject {
    private let stack: Stack

    init(folder: String) throws {
        stack = try Choice.open(Schema(Artist.self, Song.self), folder: URL(fileURLWithPath: folder))
    }

    func insert(_ artists: [Artist], _ songs: [Song]) throws {
        try stack.blocking.write { transaction in
            try transaction.insert(artists)
            try transaction.insert(songs)
        }
    }

    func deleteArtists(upTo key: Int64) throws {
        try stack.blocking.write { transaction in _ = try Artist.where { $0.id <= key }.deleteAll(in: transaction) }
    }

    func answer(_ question: Question) throws -> Answer {
        if let query = songs(question) { return .songs(try stack.blocking.read { try $0.fetch(query) }) }
        if let query = artists(question) { return .artists(try stack.blocking.read { try $0.fetch(query) }) }
        switch question {
        case .countScored(let scores):
            return .number(try stack.blocking.read { try $0.count(Song.where { $0.score.in(scores) }) })
        case .groupsByGenre:
            return .groups(
                try stack.blocking.read {
                    try $0.fetch(Song.all.grouped(by: { $0.genre }).select { ($0.genre, $0.id.count, $0.plays.sum) })
                }.map { ($0, $1, Int($2)) })
        case .groupsByMood:
            return .groups(
                try stack.blocking.read {
                    try $0.fetch(Song.all.grouped(by: { $0.mood }).select { ($0.mood, $0.id.count, $0.plays.sum) })
                }.map { ($0, $1, Int($2)) })
        case .artistsWithSongs:
            return .artistsWithSongs(try stack.blocking.read { try $0.fetch(Artist.all.with { $0.songs }) })
        case .allPages(let size): return .songs(try allPages(size: size))
        case .page(let score, let size): return .songs(try page(afterScore: score, size: size))
        default: throw BenchmarkError("There is no such question: \(question)")
        }
    }

    func plan(_ question: Question) throws -> String {
        try stack.blocking.read { snapshot in
            if let query = songs(question) { return "\(try query.explain(in: snapshot))" }
            if let query = artists(question) { return "\(try query.explain(in: snapshot))" }
            switch question {
            case .groupsByGenre:
                return
                    "\(try Song.all.grouped(by: { $0.genre }).select { ($0.id.count, $0.plays.sum) }.explain(in: snapshot))"
            case .groupsByMood:
                return
                    "\(try Song.all.grouped(by: { $0.mood }).select { ($0.id.count, $0.plays.sum) }.explain(in: snapshot))"
            case .allPages, .page: return "\(try Song.sorted(by: \.score).limit(1000).explain(in: snapshot))"
            case .countScored(let scores): return "\(try Song.where { $0.score.in(scores) }.explain(in: snapshot))"
            default: return ""
            }
        }
    }

    func close() throws { try stack.blocking.close() }

    private func songs(_ question: Question) -> Query<Song>? {
        switch question {
        case .songsOfGenre(let genre): Song.where { $0.genre == genre }
        case .songsScored(let scores): Song.where { $0.score.in(scores) }
        case .best(let limit): Song.sorted(by: \.score, .descending).limit(limit)
        case .longest(let limit): Song.sorted(by: \.length, .descending).limit(limit)
        case .songsOfArtist(let name): Song.where { $0.artist.name == name }
        case .songsOfCountry(let country): Song.where { $0.artist.country == country }
        case .bestOfEachArtist: Song.where { $0.score == $0.artist.songs.maximum(\.score) }
        default: nil
        }
    }

    private func artists(_ question: Question) -> Query<Artist>? {
        switch question {
        case .artistsWithScored(let scores): Artist.where { $0.songs.contains { $0.score.in(scores) } }
        case .artistsPlayedMoreThan(let plays): Artist.where { $0.songs.contains { $0.plays > plays } }
        default: nil
        }
    }

    private func allPages(size: Int) throws -> [Song] {
        try stack.blocking.read { snapshot in
            let query = Song.sorted(by: \.score)
            var songs: [Song] = []
            var page = try query.page(in: snapshot, size: size)
            songs += page.records
            while page.hasMore, let end = page.end {
                page = try query.page(in: snapshot, after: end, size: size)
                songs += page.records
            }
            return songs
        }
    }

    private func page(afterScore score: Int, size: Int) throws -> [Song] {
        try stack.blocking.read { snapshot in
            let query = Song.sorted(by: \.score)
            let first = try query.where { $0.score >= score }.page(in: snapshot, size: 1)
            guard let place = first.end else { return [] }
            return try query.page(in: snapshot, after: place, size: size).records
        }
    }
}
