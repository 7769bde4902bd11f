import Testing

/// Each statement of a condition is checked by itself.
@Suite(.enabled(if: Snippet.compiler != nil && Snippet.modules != nil, "needs the compiler and the built modules"))
struct StatementTests {
    private static let record = """

        struct Song: Record {
            var id: Int64
            var title: String
            var plays: Int?
            static let entityName = "Song"
            static let entity = Entity(
                "Song", key: "id",
                attributes: [
                    Attribute("id", Int64.self), Attribute("title", String.self), Attribute("plays", Int?.self),
                ])
            init(row: borrowing Row) throws {
                id = try row.decode(at: 0)
                title = try row.decode(at: 1)
                plays = try row.decode(at: 2)
            }
            func encode(into row: inout RowWriter) throws {}
            struct Fields: Sendable {
                let id = Field<Song, Int64>("id")
                let title = Field<Song, String>("title")
                let plays = Field<Song, Int?>("plays")
            }
            static let fields = Fields()
        }
        """

    @Test(.timeLimit(.minutes(5))) func `a mistake among five conditions is found in its own line`() throws {
        let code = """
            import GranaryCore
            let wrongType = Song.where {
                $0.plays > 3
                $0.title == 5
                $0.id < 100
                3 * $0.plays > 100 - $0.id
                $0.title.hasPrefix("a")
            }
            let wrongName = Song.where {
                $0.plays > 3
                $0.titel == "x"
                $0.id < 100
                $0.title.hasPrefix("a")
            }
            let wrongStatement = Song.where {
                $0.plays > 3
                $0.title
            }
            let empty = Song.where { _ in }
            let right = Song.where {
                $0.plays > 3
                $0.title == "x"
            }
            """
        let errors = try #require(try Snippet(code: code + Self.record).errors())
        #expect(
            errors == [
                "4: error: cannot convert value of type 'Int' to expected argument type 'String'",
                "11: error: value of type 'Song.Fields' has no member 'titel'",
                "17: error: cannot convert value of type 'Field<Song, String>' to expected argument type 'Condition<Song>'",
                "19: error: expected expression of type 'Condition<Song>' in result builder 'ConditionBuilder'",
            ])
    }

    @Test(.timeLimit(.minutes(5))) func `what is asked in one line compiles where Any is expected`() throws {
        let code = """
            import GranaryCore
            func asked(_ s: Snapshot) throws {
                print(try s.fetch(Song.all.select(\\.title)).count)
                print(try Song.all.select { ($0.id, $0.title) }.fetch(in: s).count)
                print(try s.fetch(Song.all.grouped(by: \\.plays).select { ($0.plays, 3 * $0.id.count) }).first!.1)
            }
            """
        #expect(try Snippet(code: code + Self.record).errors() == [])
    }
}
