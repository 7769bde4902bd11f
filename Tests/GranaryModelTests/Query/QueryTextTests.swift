import GranaryCore
import Testing

@testable import GranaryModel

private struct Genre: Record {
    var id: Int64
    var name: String?

    static let entityName = "Genre"
    static let entity = Entity(
        entityName, key: "id", attributes: [Attribute("id", Int64.self), Attribute("name", String?.self)])

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        name = try row.decode(at: 1)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
    }

    struct Fields: Sendable {
        let id = Field<Genre, Int64>("id")
        let name = Field<Genre, String?>("name")
    }
    static let fields = Fields()
}

struct QueryTextTests {
    @Test func `a query in text equals the typed one`() throws {
        #expect(try Genre.where("id > %@ AND name != %@", 3, "x") == Genre.where { $0.id > 3 && $0.name != "x" })
        #expect(try Genre.where("name == %@", nil as String?) == Genre.where { $0.name == nil })
        #expect(try Genre.where("name == nil") == Genre.where { $0.name == nil })
        #expect(try Genre.where("id BETWEEN {%@, %@}", 1, 5) == Genre.where { $0.id.between(1, 5) })
        #expect(try Genre.where("name CONTAINS[c] 'x'") == Genre.where { $0.name.contains("x", [.caseInsensitive]) })
    }

    @Test func `arguments may be named, and may be lists and names`() throws {
        #expect(try Genre.all.where("id > $least", named: ["least": 3]) == Genre.where { $0.id > 3 })
        #expect(
            try Genre.all.where("%K IN %@", arguments: [.attribute("id"), [1, 2]]) == Genre.where { $0.id.in([1, 2]) })
        let keys: Set<Int64> = [7]
        #expect(try Genre.all.where("id IN %@", arguments: [.list(keys)]) == Genre.where { $0.id.in([7]) })
    }

    @Test func `arrays and sets are lists among the arguments, and bytes are data`() throws {
        let ids: [Int64] = [1, 2]
        #expect(try Genre.where("id IN %@", ids) == Genre.where { $0.id.in(ids) })
        #expect(try Genre.where("id IN %@", [1, 2]) == Genre.where { $0.id.in([1, 2]) })
        #expect(try Genre.where("id IN %@", Set(ids.prefix(1))) == Genre.where { $0.id.in([1]) })
        #expect(try Genre.where("id IN %@", [Int64]()) == Genre.where { $0.id.in([]) })
        #expect(try Genre.where("name IN %@", [String]()) == Genre.where { $0.name.in([]) })
        #expect(try Genre.all.where("id IN $ids", named: ["ids": ids]) == Genre.where { $0.id.in(ids) })
        #expect(
            try Genre.where("name == %@", [1, 2] as [UInt8]).untyped.condition
                == .compare("name", .equal, .bytes([1, 2])))
        #expect(
            try Request("Genre").where("id IN %@ AND name != %@", ids, "x")
                == Request(recordsOf: Genre.where { $0.id.in(ids) && $0.name != "x" }.untyped))
    }

    @Test func `a condition in text is added to what held before`() throws {
        #expect(
            try Genre.where { $0.id > 1 }.where("id < %@", 5).limit(2)
                == Genre.where { $0.id > 1 && $0.id < 5 }.limit(2))
    }

    @Test func `a query among another's values is read as the one that is built`() throws {
        let subquery = AnySubquery(
            "Genre", column: .attribute("id"), condition: .compare("name", .equal, .string("x")),
            order: [Ordering(attribute: "name", direction: .descending)], limit: 3)
        #expect(
            try Genre.where("id IN (SELECT id FROM Genre WHERE name == %@ ORDER BY name DESC LIMIT 3)", "x").untyped
                .condition
                == .amongRows(.attribute("id"), subquery))
        let distinct = AnySubquery("Genre", column: .attribute("name"), limit: 3, isDistinct: true)
        #expect(
            try Genre.where("name IN (SELECT DISTINCT name FROM Genre LIMIT 3)").untyped.condition
                == .amongRows(.attribute("name"), distinct))
    }
}
