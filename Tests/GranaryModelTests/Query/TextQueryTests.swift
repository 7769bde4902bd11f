import Testing

@testable import GranaryModel

/// Whole queries in text form.
struct TextQueryTests {
    @Test func `an entity alone names all its records`() throws {
        let parsed = try TextQuery(parsing: "Artist")
        #expect(parsed.request == AnyRequest("Artist"))
        #expect(parsed.columns.isEmpty)
    }

    @Test func `every part of a query is read`() throws {
        let parsed = try TextQuery(
            parsing:
                "select distinct name, plays * 2 as `double` from Song where plays > 3 order by name desc nils last limit 5 offset 2"
        )
        #expect(parsed.request.entity == "Song")
        #expect(parsed.request.condition == (try AnyCondition(parsing: "plays > 3")))
        #expect(parsed.request.order == [Ordering(.attribute("name"), .descending, nils: .last)])
        #expect(parsed.request.limit == 5 && parsed.request.offset == 2)
        #expect(parsed.request.isDistinct)
        #expect(parsed.columns.map(\.name) == ["name", "double"])
        #expect(parsed.columns.map(\.value) == [.attribute("name"), try AnyExpression(parsing: "plays * 2")])
    }

    @Test func `groups take the order and the limit`() throws {
        let parsed = try TextQuery(
            parsing:
                "SELECT genre, @sum.plays FROM Song WHERE plays > 1 GROUP BY genre HAVING @count > 3 ORDER BY @count LIMIT 2"
        )
        let grouping = try #require(parsed.request.grouping)
        #expect(grouping.groups == [.attribute("genre")])
        #expect(grouping.columns == parsed.columns.map(\.value))
        #expect(grouping.having == (try AnyCondition(parsing: "@count > 3")))
        #expect(grouping.order.count == 1 && grouping.limit == 2)
        #expect(parsed.request.order.isEmpty && parsed.request.limit == nil)
        #expect(parsed.columns.map(\.name) == ["genre", "@sum.plays"])
    }

    @Test func `an order by a name that AS gives is by what is chosen`() throws {
        let doubled = try TextQuery(parsing: "SELECT plays * 2 AS score, plays FROM Song ORDER BY score DESC, plays")
        #expect(
            doubled.request.order
                == [Ordering(try AnyExpression(parsing: "plays * 2"), .descending), Ordering(.attribute("plays"))])
        let counted = try TextQuery(parsing: "SELECT genre, @count AS n FROM Song GROUP BY genre ORDER BY n")
        #expect(counted.request.grouping?.order == [Ordering(try AnyExpression(parsing: "@count"))])
        // The chosen value comes before an attribute of that name.
        let other = try TextQuery(parsing: "SELECT title AS plays FROM Song ORDER BY plays")
        #expect(other.request.order == [Ordering(.attribute("title"))])
    }

    @Test func `an aggregate without groups is of all records, one of a relationship is of each`() throws {
        #expect(try TextQuery(parsing: "SELECT @sum.plays / @count FROM Song").request.grouping?.groups == [])
        #expect(try TextQuery(parsing: "SELECT songs.@count FROM Artist").request.grouping == nil)
    }

    @Test(arguments: [
        "", "SELECT FROM Artist", "SELECT name Artist", "Artist name", "Artist WHERE", "Artist ORDER name",
        "Artist LIMIT x",
        "Artist GROUP BY name", "SELECT DISTINCT name FROM Artist GROUP BY name", "Artist LIMIT 5 WHERE id > 3",
        "Artist OFFSET 1 LIMIT 2",
    ]) func `what is not a query is refused`(_ text: String) {
        #expect(throws: GranaryError.self) { try TextQuery(parsing: text) }
    }

    @Test func `an asterisk for whole records is refused with what is written instead`() {
        let error = #expect(throws: GranaryError.self) { try TextQuery(parsing: "SELECT * FROM Artist") }
        #expect(
            error?.message
                == "Column 8: expected a value, and not \"*\": whole records have no SELECT and FROM in front.")
    }
}
