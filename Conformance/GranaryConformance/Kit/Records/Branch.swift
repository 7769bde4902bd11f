public import GranaryCore

/// A record that refers to itself with each rule that is kept.
public struct Branch: Record, Equatable {
    public var id: Int64
    /// Goes with it.
    public var parent: Ref<Branch>?
    /// Becomes nil with it.
    public var tied: Ref<Branch>?
    /// Holds it.
    public var held: Ref<Branch>?

    public init(id: Int64, parent: Ref<Branch>? = nil, tied: Ref<Branch>? = nil, held: Ref<Branch>? = nil) {
        self.id = id
        self.parent = parent
        self.tied = tied
        self.held = held
    }
}

extension Branch {
    public static let entityName = "Branch"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("parent", Ref<Branch>?.self, onDelete: .cascade),
            Attribute("tied", Ref<Branch>?.self),
            Attribute("held", Ref<Branch>?.self, onDelete: .deny),
        ])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        parent = try row.decode(at: 1)
        tied = try row.decode(at: 2)
        held = try row.decode(at: 3)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(parent, at: 1)
        try row.encode(tied, at: 2)
        try row.encode(held, at: 3)
    }

    public struct Fields: Sendable {
        public let id = Field<Branch, Int64>("id")
        public let parent = Field<Branch, Ref<Branch>?>("parent")
        public let tied = Field<Branch, Ref<Branch>?>("tied")
        public let held = Field<Branch, Ref<Branch>?>("held")
    }
    public static let fields = Fields()
}
