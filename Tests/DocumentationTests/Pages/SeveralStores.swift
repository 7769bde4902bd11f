import Foundation
import Granary
import GranaryMemory
import GranarySQLite

/// What there is to listen to, which comes with the app.
@Record struct Piece {
    @Key var id: Int64
    @Index var title: String
}

/// What the user has marked.
@Record struct Bookmark {
    @Key(.assigned) var id: Int64 = 0
    var piece: Ref<Piece>
    var seconds: Int64
}

/// What can be fetched again.
@Record struct Cover {
    @Key var address: String
    var image: Data
}

/// Opens the user's own store with the catalogue of the app, which is only read, and a cache.
func openAll(_ own: URL, catalogue: URL) async throws -> Stack {
    try await Stack(
        Schema(Bookmark.self, Piece.self, Cover.self),
        store: .parts(
            .sqlite(at: own),
            Part("catalogue", Piece.self, in: .sqlite(at: catalogue, options: .readOnly)),
            Part("covers", Cover.self, in: .inMemory)))
}

/// The marks in pieces with a title.
func marks(in title: String, _ snapshot: Snapshot) throws -> [Bookmark] {
    try snapshot.fetch(Bookmark.where { $0.piece.title == title }.sorted(by: \.seconds))
}
