public import GranaryCore
import Foundation

/// A record with a UUID key. Written by hand, as every record of the suite: no macro is needed.
public struct Ticket: Record, Equatable {
    public var id: UUID
    public var label: String

    public init(id: UUID, label: String = "") {
        self.id = id
        self.label = label
    }
}

extension Ticket {
    public static let entityName = "Ticket"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", UUID.self),
            Attribute("label", String.self),
        ])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        label = try row.decode(at: 1)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(label, at: 1)
    }

    public struct Fields: Sendable {
        public let id = Field<Ticket, UUID>("id")
        public let label = Field<Ticket, String>("label")
    }
    public static let fields = Fields()
}
