public import Foundation
public import GranaryCore

/// A record whose times the stack sets, as `@CreatedAt` and `@UpdatedAt` write it.
public struct Letter: Record, Equatable {
    public var id: Int64
    public var text: String
    public var created: Date?
    public var changed: Date?
    public var answered: Ref<Letter>?

    public init(
        id: Int64, text: String, created: Date? = nil, changed: Date? = nil, answered: Ref<Letter>? = nil
    ) {
        self.id = id
        self.text = text
        self.created = created
        self.changed = changed
        self.answered = answered
    }
}

extension Letter {
    public static let entityName = "Letter"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("text", String.self),
            Attribute("created", Date?.self).stamped(.created), Attribute("changed", Date?.self).stamped(.updated),
            Attribute("answered", Ref<Letter>?.self),
        ])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        text = try row.decode(at: 1)
        created = try row.decode(at: 2)
        changed = try row.decode(at: 3)
        answered = try row.decode(at: 4)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(text, at: 1)
        try row.encode(created, at: 2)
        try row.encode(changed, at: 3)
        try row.encode(answered, at: 4)
    }

    public struct Fields: Sendable {
        public let id = Field<Letter, Int64>("id")
        public let text = Field<Letter, String>("text")
        public let created = Field<Letter, Date?>("created")
        public let changed = Field<Letter, Date?>("changed")
        public let answered = Field<Letter, Ref<Letter>?>("answered")
    }
    public static let fields = Fields()
}
