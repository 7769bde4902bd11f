import TestSupport
import Foundation
import Testing

/// Finders without a context block, and are for the main actor alone: elsewhere the compiler refuses them.
@Suite(.enabled(if: Snippet.compiler != nil && Snippet.modules != nil, "needs the compiler and the built modules"))
struct DefaultFinderTests {
    /// A record, and a function that calls every kind of finder there is, a line each.
    private func code(_ isolation: String) -> String {
        """
        \(isolation) func calls(_ song: Song) throws {
            _ = try Song.find(1)
            _ = try Song.find([1, 2])
            _ = try Song.first(by: "-id")
            _ = try Song.count()
            _ = try Song.findOrCreate(1) { song }
            try Song.deleteAll()
            _ = try Song.where { $0.id > 1 }.fetch()
            _ = try Song.all.first()
            try Song.all.deleteAll()
            try song.insert()
            try song.update()
            _ = try song.refreshed()
            _ = try Song.last()
            _ = try Song.exists()
            _ = try Song.first(where: { $0.id > 1 })
            _ = try Ref<Song>(1).fetch()
            try Song.all.updateAll { _ in }
            _ = try song.songs.count()
            try song.songs.add(song)
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

    @Test(.timeLimit(.minutes(5))) func `finders on the default stack are not called off the main actor`() throws {
        let errors = try #require(try Snippet(code: code("nonisolated")).errors())
        // One a line, and no other.
        #expect(errors.map { String($0.prefix { $0 != ":" }) } == (2...20).map { "\($0)" })
        for error in errors {
            #expect(error.contains("call to main actor-isolated"))
            #expect(error.contains("in a synchronous nonisolated context"))
        }
    }

    @Test(.timeLimit(.minutes(5))) func `finders on the default stack are called on the main actor`() throws {
        #expect(try Snippet(code: code("@MainActor")).errors() == [])
    }
}
