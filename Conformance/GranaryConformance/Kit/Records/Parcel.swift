public import GranaryCore

/// A record with hooks: it trims its name, counts what it holds, and leaves notes. Written by hand, as every record of the suite:
/// no macro is needed.
public struct Parcel: Record, Equatable {
    public var id: Int64
    public var name: String
    public var weight: Int
    public var saves: Int
    public var parent: Ref<Parcel>?

    public init(id: Int64, name: String = "", weight: Int = 0, saves: Int = 0, parent: Ref<Parcel>? = nil) {
        self.id = id
        self.name = name
        self.weight = weight
        self.saves = saves
        self.parent = parent
    }

    public func validate() throws {
        guard weight < 1000 else {
            throw GranaryError(.invalidRecord, "Too heavy.", entity: Parcel.entityName, attributes: ["weight"])
        }
    }
}

extension Parcel: RecordHooks {
    public mutating func willSave(in context: Context) throws {
        while name.first == " " { name.removeFirst() }
        saves += 1
        if name == "double" { weight *= 2 }
        if name == "rename" { id += 1 }
        if name == "fail" { throw GranaryError(.invalidRecord, "Refused.", entity: Parcel.entityName) }
    }

    public func didInsert(in context: Context) throws {
        try context.insert(ParcelNote(id: 0, text: "inserted \(id)"))
        // A chain of new parcels, which ends, or does not.
        if name == "chain", id < 104 { try context.insert(Parcel(id: id + 1, name: "chain")) }
        if name == "endless" { try context.insert(Parcel(id: id + 1, name: "endless")) }
    }

    public func didUpdate(in context: Context) throws {
        try context.insert(ParcelNote(id: 0, text: "updated \(id)"))
        // What hooks write is asked, too, but each record once.
        if let parent = try parent?.fetch(in: context) {
            try context.update(Parcel.self, parent.id) { $0.weight += 1 }
        }
    }

    public static func didDelete(_ key: Int64, in context: Context) throws {
        try context.insert(ParcelNote(id: 0, text: "deleted \(key)"))
    }
}

extension Parcel {
    public static let entityName = "Parcel"
    public static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self), Attribute("weight", Int.self),
            Attribute("saves", Int.self), Attribute("parent", Ref<Parcel>?.self, onDelete: .cascade),
        ])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        name = try row.decode(at: 1)
        weight = try row.decode(at: 2)
        saves = try row.decode(at: 3)
        parent = try row.decode(at: 4)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
        try row.encode(weight, at: 2)
        try row.encode(saves, at: 3)
        try row.encode(parent, at: 4)
    }

    public struct Fields: Sendable {
        public let id = Field<Parcel, Int64>("id")
        public let name = Field<Parcel, String>("name")
        public let weight = Field<Parcel, Int>("weight")
        public let saves = Field<Parcel, Int>("saves")
        public let parent = Field<Parcel, Ref<Parcel>?>("parent")
    }
    public static let fields = Fields()
}

/// A line that the hooks of parcels write.
public struct ParcelNote: Record, Equatable {
    public var id: Int64
    public var text: String

    public init(id: Int64, text: String) {
        self.id = id
        self.text = text
    }
}

extension ParcelNote {
    public static let entityName = "ParcelNote"
    public static let entity = Entity(
        entityName, key: "id", keyGeneration: .assigned,
        attributes: [Attribute("id", Int64.self), Attribute("text", String.self)])

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        text = try row.decode(at: 1)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(text, at: 1)
    }

    public mutating func take(assignedKey: Int64) { id = assignedKey }

    public struct Fields: Sendable {
        public let id = Field<ParcelNote, Int64>("id")
        public let text = Field<ParcelNote, String>("text")
    }
    public static let fields = Fields()
}
