public import GranaryCore

/// A record with as many attributes as an entity can have. Written by hand, as every record of the suite: no macro is needed.
public struct Wide: Record, Equatable {
    public var id: Int64
    /// One a further attribute.
    public var values: [Int64?]

    public static let width = Schema.maximumAttributes - 1

    public init(id: Int64, values: [Int64?]) {
        self.id = id
        self.values = values
    }
}

extension Wide {
    public static let entityName = "Wide"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [Attribute("id", Int64.self)] + (1...width).map { Attribute("value\($0)", Int64?.self) },
        indexes: [.index("value499"), .index("value250", "value1")])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        values = []
        for position in 1...Wide.width { values.append(try row.decode(at: position)) }
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        for (position, value) in values.enumerated() { try row.encode(value, at: position + 1) }
    }

    public struct Fields: Sendable {
        public let id = Field<Wide, Int64>("id")
        public let first = Field<Wide, Int64?>("value1")
        public let middle = Field<Wide, Int64?>("value250")
        public let last = Field<Wide, Int64?>("value499")
    }
    public static let fields = Fields()
}
