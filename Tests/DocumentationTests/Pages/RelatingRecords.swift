import Granary

@Record struct Playlist {
    @Key(.assigned) var id: Int64 = 0
    var name: String
    static let tracks = ManyToMany(Track.self, ordered: true)
}

@Record struct Track {
    @Key(.assigned) var id: Int64 = 0
    var title: String
}

func arrange(_ playlist: Playlist, _ tracks: [Track], in tx: Transaction) throws -> [String] {
    try playlist.tracks.replace(with: tracks, in: tx)
    try playlist.tracks.move(from: 0, to: tracks.count - 1, in: tx)
    if let first = tracks.first { try playlist.tracks.remove(first, in: tx) }
    return try playlist.tracks.fetch(in: tx).map(\.title)
}
