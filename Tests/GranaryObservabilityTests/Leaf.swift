import GranaryCore

/// A record of these tests.
struct Leaf: Record, Equatable {
    var id: Int64
    var size = 0

    init(_ id: Int64) { self.id = id }

    static let entityName = "Leaf"
    static let entity = Entity(
        entityName, key: "id", attributes: [Attribute("id", Int64.self), Attribute("size", Int.self)])

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        size = try row.decode(at: 1)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(size, at: 1)
    }

    struct Fields: Sendable {
        let id = Field<Leaf, Int64>("id")
        let size = Field<Leaf, Int>("size")
    }
    static let fields = Fields()
}
