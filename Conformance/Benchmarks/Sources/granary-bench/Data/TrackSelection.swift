/// What `filter-sort` asks for, in every subject: artists in a range of the index (about 11 % of all), of those the
/// half that is played often (no index), by length and then key - once the first hundred, once all.
enum TrackSelection {
    static let firstArtist = "M"
    static let endArtist = "P"
    static let fewestPlays = 500
    static let limit = 100

    static func contains(_ track: Track) -> Bool {
        track.artist >= firstArtist && track.artist < endArtist && track.plays >= fewestPlays
    }

    static func isBefore(_ left: Track, _ right: Track) -> Bool {
        (left.length, left.id) < (right.length, right.id)
    }
}
