import Foundation
import Granary
import GranarySQLite

@Record struct Artist: Equatable {
    @Key(.assigned) var id: Int64 = 0
    @Index var name: String
    var rating: Double?
    var plays = 0
    static let songs = ToMany(\Song.Fields.artist, onDelete: .cascade)
}

@Record struct Song {
    @Key(.assigned) var id: Int64 = 0
    var title: String
    var plays = 0
    var artist: Ref<Artist>
}

func openMusic(_ url: URL) async throws -> Stack {
    try await Stack(Schema(Artist.self, Song.self), store: .sqlite(at: url))
}
