public import GranaryCore

/// A record with a rule of its own: a mark is between 1 and 5.
public struct Mark: Record, Equatable {
    public var id: Int64
    public var value: Int

    public init(id: Int64, value: Int) {
        self.id = id
        self.value = value
    }

    public func validate() throws {
        if !(1...5).contains(value) {
            throw GranaryError(
                .invalidRecord, "A mark is between 1 and 5, not \(value).", entity: Mark.entityName,
                attributes: ["value"])
        }
    }
}

extension Mark {
    public static let entityName = "Mark"
    public static let entity = Entity(
        entityName, key: "id", attributes: [Attribute("id", Int64.self), Attribute("value", Int.self)])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        value = try row.decode(at: 1)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(value, at: 1)
    }

    public struct Fields: Sendable {
        public let id = Field<Mark, Int64>("id")
        public let value = Field<Mark, Int>("value")
    }
    public static let fields = Fields()
}
