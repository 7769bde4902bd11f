public import GranaryCore

/// A record with a rule over two attributes: the first is not greater than the second.
public struct Span: Record, Equatable {
    public var id: Int64
    public var low: Int
    public var high: Int

    public init(id: Int64, low: Int, high: Int) {
        self.id = id
        self.low = low
        self.high = high
    }

    public func validate() throws {
        if low > high {
            throw GranaryError(
                .invalidRecord, "A span does not end before it begins.", entity: Span.entityName,
                attributes: ["low", "high"])
        }
    }
}

extension Span {
    public static let entityName = "Span"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [Attribute("id", Int64.self), Attribute("low", Int.self), Attribute("high", Int.self)])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        low = try row.decode(at: 1)
        high = try row.decode(at: 2)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(low, at: 1)
        try row.encode(high, at: 2)
    }

    public struct Fields: Sendable {
        public let id = Field<Span, Int64>("id")
        public let low = Field<Span, Int>("low")
        public let high = Field<Span, Int>("high")
    }
    public static let fields = Fields()
}
