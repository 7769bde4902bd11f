import Granary

/// What stands behind a dialogue that edits one artist and its songs.
@MainActor final class ArtistEditor {
    private let draft: EditContext
    private let old: Artist
    /// Bound to the fields of the dialogue.
    var artist: Artist

    init(_ artist: Artist, over context: EditContext) throws {
        draft = try context.makeChild(named: "artist editor")
        old = artist
        self.artist = artist
    }

    func songs() throws -> [Song] { try draft.fetch(Song.where { $0.artist == Ref(artist) }) }

    func addSong(_ title: String) throws { try draft.insert(Song(title: title, artist: Ref(artist))) }

    /// The parent has the changes, all or none; nothing is in the store yet.
    func done() throws {
        try draft.update(artist, from: old)
        try draft.saveToParent()
    }

    /// Or let the editor go.
    func cancel() { draft.rollback() }
}
