package import ConformanceKit
package import Foundation
package import GranaryCore

extension Shop {
    // Genre 3 has no songs, artist 4 no albums, album 4 no songs, playlist 3 no songs. The mentor of artist 2 is not there.
    package static let genres = [Genre(id: 1, label: "Rock"), Genre(id: 2, label: "Jazz"), Genre(id: 3, label: "Folk")]
    package static let artists = [
        Artist(id: 1, label: "Ada", genre: Ref(1), rating: 4.5, mentor: Ref(2)),
        Artist(id: 2, label: "Bo", genre: Ref(2), mentor: Ref(99)),
        Artist(id: 3, label: "Cy", rating: 2, mentor: Ref(1)),
        Artist(id: 4, label: "Di", genre: Ref(3), rating: 4.5),
    ]
    package static let albums = [
        Album(id: 1, title: "Alpha", artist: Ref(1), year: 1967, price: Boundaries.decimal("9.99")),
        Album(id: 2, title: "Beta", artist: Ref(1), price: Boundaries.decimal("12.5")),
        Album(id: 3, title: "Gamma", artist: Ref(2), year: 1959),
        Album(id: 4, title: "Delta", artist: Ref(3), year: 1967, price: Boundaries.decimal("9.99")),
    ]
    package static let songs = [
        Song(
            id: 1, title: "Able", album: Ref(1), genre: Ref(1), seconds: 100, score: 1.5, isLive: false,
            released: date(1967, 5, 12), price: Boundaries.decimal("0.99"), cents: cents("0.99"),
            info: JSON(SongInfo(tempo: 70, mood: "calm", tags: ["a", "b"]))),
        Song(
            id: 2, title: "Bell", album: Ref(1), genre: Ref(1), seconds: 200, isLive: true, cents: cents("1.5")),
        Song(
            id: 3, title: "Cloud", album: Ref(1), genre: Ref(2), score: 2.5, released: date(1968, 2, 29),
            price: Boundaries.decimal("1.29"), info: JSON(SongInfo(gain: 0.5, mood: "wild"))),
        Song(
            id: 4, title: "Dawn", album: Ref(2), seconds: 100, score: 1.5, isLive: true, released: date(2001, 1, 1),
            price: Boundaries.decimal("0.99"), cents: cents("0.99"), info: JSON(SongInfo(tempo: 120, isLoud: true))),
        Song(
            id: 5, title: "Echo", album: Ref(3), genre: Ref(2), seconds: 300, score: -2.25, isLive: false,
            released: date(1959, 8, 17), price: 2, cents: cents("2"), info: JSON(SongInfo(tags: []))),
        Song(id: 6, title: "Fog", album: Ref(3)),
    ]
    package static let playlists = [
        Playlist(id: 1, label: "Mix"), Playlist(id: 2, label: "Solo"), Playlist(id: 3, label: "Empty"),
        Playlist(id: 4, label: "Pair"),
    ]
    package static let links = [
        link(1, 1, 0), link(1, 2, 1), link(1, 5, 2), link(2, 3, 0), link(4, 6, 0), link(4, 2, 1),
    ]
    /// Flo manages herself.
    package static let employees = [
        Employee(id: 1, label: "Ann", salary: 100), Employee(id: 2, label: "Ben", manager: Ref(1), salary: 80),
        Employee(id: 3, label: "Cat", manager: Ref(1)), Employee(id: 4, label: "Dan", manager: Ref(2), salary: 50),
        Employee(id: 5, label: "Eve", manager: Ref(4), salary: 50), Employee(id: 6, label: "Flo", manager: Ref(6)),
    ]

    package static func fill(_ transaction: Transaction) throws {
        try transaction.insert(genres)
        try transaction.insert(artists)
        try transaction.insert(albums)
        try transaction.insert(songs)
        try transaction.insert(playlists)
        try transaction.insert(links)
        try transaction.insert(employees)
    }

    /// Midnight in UTC.
    package static func date(_ year: Int, _ month: Int, _ day: Int, seconds: Double = 0) -> Date {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
        let parts = DateComponents(year: year, month: month, day: day)
        return (calendar.date(from: parts) ?? .distantPast).addingTimeInterval(seconds)
    }

    package static func cents(_ text: String) -> ScaledDecimal<2> { ScaledDecimal(Boundaries.decimal(text)) }

    private static func link(_ playlist: Int64, _ song: Int64, _ position: Int64) -> PlaylistSong {
        PlaylistSong(source: Ref(playlist), target: Ref(song), position: position)
    }
}
