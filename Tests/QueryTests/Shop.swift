import Foundation
import Granary
import GranaryMemory

@Record struct Genre {
    @Key(.assigned) var id: Int64 = 0
    @Unique var name: String
}

@Record struct Artist {
    @Key var id: Int64
    @Index(.caseInsensitive) var name: String
    var rating: Double?
    var genre: Ref<Genre>?
    static let albums = ToMany(\Album.Fields.artist, onDelete: .cascade)
}

@Record struct Album {
    @Key var id: Int64
    @Index var title: String
    var released: Date?
    var artist: Ref<Artist>
    static let songs = ToMany(\Song.Fields.album, onDelete: .cascade, orderedBy: \.track)
}

struct Sleeve: Codable, Sendable, Equatable {
    var colour: String
    var pages: Int
}

@Record struct Song {
    @Key var id: Int64
    var title: String
    var track: Int
    var plays: Int
    var skips: Int?
    @Attribute(.scaled(2)) var price: Decimal
    @Attribute(.json) var sleeve: Sleeve?
    var album: Ref<Album>
    static let playlists = ManyToMany(\Playlist.Fields.songs)

    static var staleCondition: Condition<Song>? { fields.plays == 0 }
}

@Record struct Playlist {
    @Key var id: Int64
    var name: String
    static let songs = ManyToMany(Song.self, ordered: true)
}

@Record struct Employee {
    @Key var id: Int64
    var name: String
    var manager: Ref<Employee>?
    static let reports = ToMany(\Employee.Fields.manager)
}

/// A music shop of two artists, three albums, six songs, two playlists and four employees.
func openShop() throws -> Stack {
    let stack = try Stack(
        Schema(Genre.self, Artist.self, Album.self, Song.self, Playlist.self, Employee.self), store: .inMemory)
    try stack.blocking.write { tx in
        let rock = try tx.insert(Genre(name: "Rock"))
        let jazz = try tx.insert(Genre(name: "Jazz"))
        try tx.insert([
            Artist(id: 1, name: "Jimi Hendrix", rating: 4.7, genre: Ref(rock)),
            Artist(id: 2, name: "Nina Simone", rating: nil, genre: Ref(jazz)),
            Artist(id: 3, name: "bjÖrk", rating: 4.1, genre: nil),
        ])
        func date(_ year: Int) -> Date {
            Date(timeIntervalSince1970: Double(year - 1970) * 365.25 * 86_400 + 86_400 * 40)
        }
        try tx.insert([
            Album(id: 10, title: "Are You Experienced", released: date(1967), artist: Ref(1)),
            Album(id: 11, title: "Axis", released: date(1967), artist: Ref(1)),
            Album(id: 12, title: "Pastel Blues", released: nil, artist: Ref(2)),
        ])
        try tx.insert([
            Song(
                id: 100, title: "Purple Haze", track: 1, plays: 50, skips: 5, price: 0.99, sleeve: nil, album: Ref(10)),
            Song(
                id: 101, title: "Fire", track: 2, plays: 20, skips: nil, price: 0.99,
                sleeve: Sleeve(colour: "red", pages: 2), album: Ref(10)),
            Song(
                id: 102, title: "Little Wing", track: 1, plays: 30, skips: 1, price: 1.29, sleeve: nil, album: Ref(11)),
            Song(
                id: 103, title: "Sinnerman", track: 1, plays: 70, skips: 0, price: 1.49,
                sleeve: Sleeve(colour: "blue", pages: 8), album: Ref(12)),
            Song(
                id: 104, title: "Strange Fruit", track: 2, plays: 40, skips: 2, price: 0.99, sleeve: nil, album: Ref(12)
            ),
            Song(id: 105, title: "Hidden", track: 3, plays: 0, skips: nil, price: 0, sleeve: nil, album: Ref(12)),
        ])
        try tx.insert([Playlist(id: 1000, name: "Evening"), Playlist(id: 1001, name: "Empty")])
        try tx.insert([
            Employee(id: 1, name: "Ann", manager: nil), Employee(id: 2, name: "Bob", manager: Ref(1)),
            Employee(id: 3, name: "Cy", manager: Ref(1)), Employee(id: 4, name: "Di", manager: Ref(2)),
        ])
    }
    return stack
}
