import GranaryCore

/// Where the links of a relationship are.
struct LinkLayout {
    /// The positions of the links' entity and of the related records'.
    let source: Int
    let related: Int
    let owner: Int
    let member: Int
    let place: Int?
    let isManyToMany: Bool
    /// The attribute of the members that refers to the owner; nil of links.
    var inverse: Int? { isManyToMany ? nil : owner }
    /// Whether the order is one that an import writes.
    let keepsOrder: Bool
    /// Whether a link is a record of its own without an order on the other side, which a new one would come last in.
    let isPlainlyLinked: Bool

    init(_ relationship: Relationship, in schema: Schema) throws {
        source = try schema.position(ofEntity: relationship.entity)
        let entity = schema.entities[source]
        owner = try entity.position(ofAttribute: relationship.attribute)
        isManyToMany = relationship.through != nil
        member = try relationship.through.map { try entity.position(ofAttribute: $0) } ?? entity.keyPosition
        place = try relationship.orderedBy.map { try entity.position(ofAttribute: $0) }
        related =
            isManyToMany
            ? try schema.position(ofEntity: entity.attributes[member].reference?.entity ?? entity.name) : source
        let type = place.map { entity.attributes[$0].type }
        keepsOrder = type.map { ($0.integerRange != nil && $0 != .bool) || $0 == .double || $0 == .float } ?? false
        let hasOtherOrder = schema.entities[related].relationships.contains {
            $0.entity == relationship.entity && $0.through == relationship.attribute && $0.orderedBy != nil
        }
        isPlainlyLinked =
            isManyToMany && !hasOtherOrder && entity.keyGeneration == .assigned && (place == nil || type == .int64)
            && entity.attributes.count == (place == nil ? 3 : 4)
    }
}
