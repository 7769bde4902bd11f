public import GranaryCore

/// A reference to a record that no import has brought yet. The store keeps it until an import does.
///
/// If a schema has this type for a record type, its imports can keep such references. A mapping chooses the
/// relationships:
///
/// ```swift
/// let schema = Schema(Artist.self, Album.self, PendingReference<Album>.self)
///
/// extension Album: ImportMapped {
///     static let importMapping = ImportMapping().relate("artist", missing: .keep)
/// }
/// ```
///
/// They are records like any other: written together with the record that they belong to, copied, backed up and
/// migrated with the store, and deleted with their owner. Query them to see what is still missing. They cost nothing in
/// a schema without this type, or in an import whose mapping keeps none.
public struct PendingReference<Owner: Record>: Record {
    public var id: Int64
    /// The record with the reference.
    public var owner: Ref<Owner>
    /// The attribute or the to-many relationship of the owner.
    public var relationship: String
    /// The entity of the record that is missing.
    public var target: String
    /// The attributes that identify the missing record: its key or other unique attributes, with their values.
    public var names: [String: StoredValue]
    /// The value of the attribute when the reference was kept; nil for a to-many relationship.
    public var previous: StoredValue?
    /// The index in the list of a to-many relationship, from 0; nil if the import added to the list.
    public var place: Int?
}

extension PendingReference {
    public static var entityName: String { PendingReferences.entityName(of: Owner.entityName) }

    public static var entity: Entity {
        Entity(
            entityName, key: "id", keyGeneration: .assigned,
            attributes: [
                Attribute("id", Int64.self), Attribute("owner", Ref<Owner>.self, onDelete: .cascade),
                Attribute("relationship", String.self), Attribute("target", String.self),
                Attribute("names", JSON<[String: StoredValue]>.self),
                Attribute("previous", JSON<StoredValue>?.self), Attribute("place", Int?.self),
            ]
        ).renamed(fromAll: Owner.entity.renamedFrom.map(PendingReferences.entityName))
    }

    public init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        owner = try row.decode(at: 1)
        relationship = try row.decode(at: 2)
        target = try row.decode(at: 3)
        names = try row.decode(JSON<[String: StoredValue]>.self, at: 4).value
        previous = try row.decode(JSON<StoredValue>?.self, at: 5)?.value
        place = try row.decode(at: 6)
    }

    public func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(owner, at: 1)
        try row.encode(relationship, at: 2)
        try row.encode(target, at: 3)
        try row.encode(JSON(names), at: 4)
        try row.encode(previous.map { JSON($0) }, at: 5)
        try row.encode(place, at: 6)
    }

    public mutating func take(assignedKey: Int64) { id = assignedKey }

    public struct Fields: Sendable {
        public let id = Field<PendingReference, Int64>("id")
        public let owner = Field<PendingReference, Ref<Owner>>("owner")
        public let relationship = Field<PendingReference, String>("relationship")
        public let target = Field<PendingReference, String>("target")
        public let place = Field<PendingReference, Int?>("place")
    }
    public static var fields: Fields { Fields() }
}

/// The pending references of one entity without their Swift type, for imports.
struct PendingReferences {
    static func entityName(of owner: String) -> String { "\(owner)_pending" }

    // The positions of the attributes.
    static let owner = 1
    static let relationship = 2
    static let place = 6
    static let width = 7

    let key: StoredValue
    let owner: StoredValue
    let relationship: String
    let target: String
    let names: [String: StoredValue]
    let previous: StoredValue?
    let place: Int?

    init(row: borrowing Row) throws {
        key = StoredValue(row[0])
        owner = StoredValue(row[PendingReferences.owner])
        relationship = try row.decode(at: PendingReferences.relationship)
        target = try row.decode(at: 3)
        names = try row.decode(JSON<[String: StoredValue]>.self, at: 4).value
        previous = try row.decode(JSON<StoredValue>?.self, at: 5)?.value
        place = try row.decode(at: PendingReferences.place)
    }

    init(
        _ relationship: String, of owner: StoredValue, target: String, names: [String: StoredValue],
        previous: StoredValue? = nil, place: Int? = nil
    ) {
        key = .integer(0)
        (self.owner, self.relationship, self.target, self.names) = (owner, relationship, target, names)
        (self.previous, self.place) = (previous, place)
    }

    func values() throws -> [StoredValue] {
        [
            key, owner, .string(relationship), .string(target), try StoredValue(encoding: JSON(names)),
            try previous.map { try StoredValue(encoding: JSON($0)) } ?? .null,
            place.map { .integer(Int64($0)) } ?? .null,
        ]
    }
}

extension Schema {
    /// The position of the entity that keeps the pending references of an entity; nil if the schema has none.
    func pendingEntity(of entity: Entity) -> Int? {
        let name = PendingReferences.entityName(of: entity.name)
        return entities.firstIndex {
            $0.name.hasSameBytes(as: name) && $0.attributes.count == PendingReferences.width
                && $0.attributes[PendingReferences.owner].reference?.entity == entity.name
        }
    }
}
