public import GranaryCore

/// A record with a version. Written by hand, as every record of the suite: no macro is needed.
public struct Draft: Record, Equatable {
    public var id: Int64
    public var title: String
    public var reads: Int
    public var parent: Ref<Draft>?
    public var version: Int16

    public init(id: Int64, title: String = "", reads: Int = 0, parent: Ref<Draft>? = nil, version: Int16 = 0) {
        self.id = id
        self.title = title
        self.reads = reads
        self.parent = parent
        self.version = version
    }
}

extension Draft {
    public static let entityName = "Draft"
    public static let entity = Entity(
        entityName, key: "id", version: "version",
        attributes: [
            Attribute("id", Int64.self),
            Attribute("title", String.self),
            Attribute("reads", Int.self),
            Attribute("parent", Ref<Draft>?.self),
            Attribute("version", Int16.self),
        ])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        title = try row.decode(at: 1)
        reads = try row.decode(at: 2)
        parent = try row.decode(at: 3)
        version = try row.decode(at: 4)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(title, at: 1)
        try row.encode(reads, at: 2)
        try row.encode(parent, at: 3)
        try row.encode(version, at: 4)
    }

    public struct Fields: Sendable {
        public let id = Field<Draft, Int64>("id")
        public let title = Field<Draft, String>("title")
        public let reads = Field<Draft, Int>("reads")
        public let parent = Field<Draft, Ref<Draft>?>("parent")
        public let version = Field<Draft, Int16>("version")
    }
    public static let fields = Fields()
}
