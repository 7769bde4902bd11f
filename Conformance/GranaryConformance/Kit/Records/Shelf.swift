public import GranaryCore

/// What boxes stand on. Written by hand, as every record of the suite: no macro is needed.
public struct Shelf: Record, Equatable {
    public var id: Int64
    public var name: String

    public init(id: Int64, name: String = "") {
        self.id = id
        self.name = name
    }
}

extension Shelf {
    public static let entityName = "Shelf"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("name", String.self),
        ])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        name = try row.decode(at: 1)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
    }

    public struct Fields: Sendable {
        public let id = Field<Shelf, Int64>("id")
        public let name = Field<Shelf, String>("name")
    }
    public static let fields = Fields()
}
