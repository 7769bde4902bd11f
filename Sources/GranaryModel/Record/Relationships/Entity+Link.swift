extension Relationship {
    /// A link entity's reference to the owner.
    package static let source = "source"
    /// A link entity's reference to the other side.
    package static let target = "target"
    /// A link entity's place among the owner's links.
    package static let position = "position"

    /// The name of the entity that holds a many-to-many relationship's links.
    static func linkEntity(of owner: String, _ name: String) -> String { "\(owner)_\(name)" }

    /// A many-to-many relationship of the side that owns the links.
    static func linked(_ name: String, of owner: String, isOrdered: Bool) -> Relationship {
        Relationship(
            name, entity: linkEntity(of: owner, name), attribute: source, through: target,
            orderedBy: isOrdered ? position : nil)
    }

    /// The inverse of a many-to-many relationship of an owner.
    static func inverse(_ name: String, of relationship: String, ownedBy owner: String) -> Relationship {
        Relationship(name, entity: linkEntity(of: owner, relationship), attribute: target, through: source)
    }
}

extension Entity {
    /// The entity that holds a many-to-many relationship's links, with the relationship's name for it.
    ///
    /// - Parameters:
    ///   - source: The owner's entity and the type of its key.
    ///   - target: The other side's entity and the type of its key.
    static func link(
        _ relationship: Relationship, from source: (name: String, key: AttributeType),
        to target: (name: String, key: AttributeType), onDelete: LinkDeleteRule
    ) -> Entity {
        let rule: DeleteRule =
            switch onDelete {
            case .nullify: .cascade
            case .deny: .deny
            }
        var attributes = [
            Attribute("id", .int64),
            Attribute(Relationship.source, source.key, reference: .init(entity: source.name, onDelete: rule)),
            Attribute(Relationship.target, target.key, reference: .init(entity: target.name, onDelete: .cascade)),
        ]
        var indexes: [Index] = [.unique(Relationship.source, Relationship.target), .index(Relationship.target)]
        if relationship.orderedBy != nil {
            attributes.append(Attribute(Relationship.position, .int64))
            indexes.append(.index(Relationship.source, Relationship.position))
        }
        return Entity(
            relationship.entity, key: "id", keyGeneration: .assigned, attributes: attributes, indexes: indexes)
    }
}
