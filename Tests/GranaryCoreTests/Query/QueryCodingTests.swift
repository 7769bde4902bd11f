import Foundation
import Testing

@testable import GranaryCore

private struct Stone: Record {
    var id: Int64

    static let entityName = "Stone"
    static let entity = Entity(entityName, key: "id", attributes: [Attribute("id", Int64.self)])

    init(row: borrowing Row) throws { id = try row.decode(at: 0) }

    func encode(into row: inout RowWriter) throws { try row.encode(id, at: 0) }

    struct Fields: Sendable { let id = Field<Stone, Int64>("id") }
    static let fields = Fields()
}

struct QueryCodingTests {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func decoded<Value: Decodable>(_ json: String, as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    private let queries: [Query<Plant>] = [
        Plant.all, Plant.where { $0.height > 3 && $0.bed != nil || $0.name.hasPrefix("a") },
        Plant.sorted(by: { $0.height * 2 }, .descending, nils: .last).sorted(by: \.neighbour.name).limit(20).offset(40),
        Plant.where { $0.neighbour.bed.in(["north", nil]) }.limit(0),
        Plant.where { $0.neighbour.in(Plant.where { $0.height > 9 }.sorted(by: \.name).limit(2)) },
    ]

    @Test func `a query is an object with the entity's name`() throws {
        #expect(try json(Plant.all) == #"{"entity":"Plant"}"#)
        #expect(
            try json(Plant.where { $0.height == 3 }.sorted(by: \.name).limit(2).offset(1))
                == #"{"condition":{"attribute":"height","kind":"compare","operator":"==","value":{"integer":3}},"entity":"Plant","limit":2,"offset":1,"order":[{"direction":"ascending","expression":{"attribute":"name","kind":"attribute"}}]}"#
        )
    }

    @Test func `queries are decoded as they were`() throws {
        for query in queries {
            #expect(try decoded(json(query)) == query)
            #expect(try decoded(json(Request(recordsOf: query.untyped))) == Request(recordsOf: query.untyped))
            // With and without the type they are encoded alike.
            #expect(try decoded(json(query)) == Request(recordsOf: query.untyped))
            #expect(try decoded(json(Request(recordsOf: query.untyped))) == query)
        }
    }

    @Test func `conditions are decoded as they were`() throws {
        let condition = Plant.fields.height > 3 && !(Plant.fields.name == "a")
        #expect(try decoded(json(condition)) == condition)
        #expect(try decoded(json(Condition<Plant>.never)) == Condition<Plant>.never)
        #expect(
            try json(Condition<Plant>.always) == #"{"condition":{"kind":"always","value":true},"entity":"Plant"}"#)
    }

    @Test func `what is of another entity is refused by name`() throws {
        for text in try queries.map({ try json($0) }) {
            let error = #expect(throws: DecodingError.self) { try decoded(text, as: Query<Stone>.self) }
            guard case .typeMismatch(let type, let context) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(ObjectIdentifier(type) == ObjectIdentifier(Query<Stone>.self))
            #expect(context.codingPath.map(\.stringValue) == ["entity"])
            #expect(context.debugDescription == #"It is of the entity "Plant", and one of Stone is read."#)
        }
        let condition = try json(Plant.fields.id == 3)
        #expect(throws: DecodingError.self) { try decoded(condition, as: Condition<Stone>.self) }
    }

    @Test func `a condition as deep as may be is decoded within a query`() throws {
        var condition = AnyCondition.compare("height", .equal, .integer(1))
        for _ in 0..<(AnyCondition.maximumDepth - 2) / 2 {
            condition = .any([.not(condition), .compare("height", .less, .integer(Int64(condition.depth)))])
        }
        condition = .not(condition)
        #expect(condition.depth == AnyCondition.maximumDepth)
        let query = Plant.where(Condition(condition))
        #expect(try decoded(json(query)) == query)
        #expect(try decoded(json(Condition<Plant>(condition))) == Condition<Plant>(condition))
    }

    @Test(arguments: [
        "{}", "[]", "5", #"{"entity":5}"#, #"{"entity":"Plant","condition":5}"#, #"{"entity":"Plant","order":{}}"#,
        #"{"entity":"Plant","limit":"many"}"#,
    ])
    func `what is no query is refused`(json: String) {
        #expect(throws: DecodingError.self) { try decoded(json, as: Query<Plant>.self) }
        #expect(throws: DecodingError.self) { try decoded(json, as: Query<DynamicRecord>.self) }
    }

    @Test func `a part of a later version is named`() throws {
        let text = #"{"entity":"Plant","condition":{"kind":"near"}}"#
        let error = #expect(throws: GranaryError.self) { try decoded(text, as: Query<Plant>.self) }
        #expect(error?.code == .newerFormat)
    }
}
