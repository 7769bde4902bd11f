import TestSupport
import Foundation
import Testing

/// The main context is for the main actor alone: elsewhere the compiler refuses it.
@Suite(.enabled(if: Snippet.compiler != nil && Snippet.modules != nil, "needs the compiler and the built modules"))
struct MainContextNameTests {
    /// A record, and a function that asks and changes the main context, a line each.
    private func code(_ isolation: String) -> String {
        """
        \(isolation) func calls(_ song: Song) throws {
            _ = try Song.find(1, in: .main)
            _ = try Song.all.fetch(in: .main)
            try Song.deleteAll(in: .main)
            try song.insert(in: .main)
            _ = try Ref<Song>(1).fetch(in: .main)
            _ = try song.songs.all.count(in: .main)
            try EditContext.main.blocking.save()
        }

        import GranaryCore

        struct Song: Record {
            var id: Int64
            static let entityName = "Song"
            static let entity = Entity(entityName, key: "id", attributes: [Attribute("id", Int64.self)])
            init(row: borrowing Row) throws { id = try row.decode(at: 0) }
            func encode(into row: inout RowWriter) throws { try row.encode(id, at: 0) }
            struct Fields: Sendable { let id = Field<Song, Int64>("id") }
            static let fields = Fields()
            var songs: RelatedRecords<Song, Song> {
                RelatedRecords(of: id, Relationship("songs", entity: "Song", attribute: "id"))
            }
        }
        """
    }

    @Test(.timeLimit(.minutes(5))) func `.main is not named off the main actor`() throws {
        let errors = try #require(try Snippet(code: code("nonisolated")).errors())
        // One a line, and no other.
        #expect(errors.map { String($0.prefix { $0 != ":" }) } == (2...8).map { "\($0)" })
        for error in errors { #expect(error.contains("main actor-isolated")) }
    }

    @Test(.timeLimit(.minutes(5))) func `.main is named on the main actor`() throws {
        #expect(try Snippet(code: code("@MainActor")).errors() == [])
    }
}
