public import GranaryCore

/// A record with a reference of each delete rule. Written by hand, as every record of the suite: no macro is needed.
public struct Box: Record, Equatable {
    public var id: Int64
    public var shelf: Ref<Shelf>
    public var spare: Ref<Shelf>?
    public var owner: Ref<Person>?
    public var outer: Ref<Box>?
    public var loose: Ref<Shelf>?

    public init(
        id: Int64, shelf: Ref<Shelf>, spare: Ref<Shelf>? = nil, owner: Ref<Person>? = nil, outer: Ref<Box>? = nil,
        loose: Ref<Shelf>? = nil
    ) {
        self.id = id
        self.shelf = shelf
        self.spare = spare
        self.owner = owner
        self.outer = outer
        self.loose = loose
    }
}

extension Box {
    public static let entityName = "Box"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("shelf", Ref<Shelf>.self),
            Attribute("spare", Ref<Shelf>?.self),
            Attribute("owner", Ref<Person>?.self, onDelete: .cascade),
            Attribute("outer", Ref<Box>?.self, onDelete: .cascade),
            Attribute("loose", Ref<Shelf>?.self, onDelete: .noAction),
        ])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        shelf = try row.decode(at: 1)
        spare = try row.decode(at: 2)
        owner = try row.decode(at: 3)
        outer = try row.decode(at: 4)
        loose = try row.decode(at: 5)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(shelf, at: 1)
        try row.encode(spare, at: 2)
        try row.encode(owner, at: 3)
        try row.encode(outer, at: 4)
        try row.encode(loose, at: 5)
    }

    public struct Fields: Sendable {
        public let id = Field<Box, Int64>("id")
        public let shelf = Field<Box, Ref<Shelf>>("shelf")
        public let spare = Field<Box, Ref<Shelf>?>("spare")
        public let owner = Field<Box, Ref<Person>?>("owner")
        public let outer = Field<Box, Ref<Box>?>("outer")
        public let loose = Field<Box, Ref<Shelf>?>("loose")
    }
    public static let fields = Fields()
}
