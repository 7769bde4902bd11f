public import GranaryCore

/// A record whose key the store assigns. Written by hand, as every record of the suite: no macro is needed.
public struct Counter: Record, Equatable {
    public var id: Int64
    public var label: String

    public init(id: Int64 = 0, label: String = "") {
        self.id = id
        self.label = label
    }
}

extension Counter {
    public static let entityName = "Counter"
    public static let entity = Entity(
        entityName, key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self),
            Attribute("label", String.self),
        ], indexes: [.unique("label")])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        label = try row.decode(at: 1)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(label, at: 1)
    }

    public mutating func take(assignedKey: Int64) { id = assignedKey }

    public struct Fields: Sendable {
        public let id = Field<Counter, Int64>("id")
        public let label = Field<Counter, String>("label")
    }
    public static let fields = Fields()
}
