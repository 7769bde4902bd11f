/// A record type's declaration of one of its to-many relationships, for the schema.
public struct DeclaredRelationship: Sendable, Hashable {
    public var relationship: Relationship
    /// What happens to the records that refer to the owner when it is deleted; nil if their reference decides.
    public var onDelete: DeleteRule?
    /// The link entity of a many-to-many relationship; nil for its inverse.
    public var link: Entity?

    public init(_ relationship: Relationship, onDelete: DeleteRule? = nil, link: Entity? = nil) {
        self.relationship = relationship
        self.onDelete = onDelete
        self.link = link
    }
}

extension Schema {
    /// The entities of record types, with their relationships, the delete rules of these, and their link entities.
    static func entities(of types: [any Record.Type]) -> [Entity] {
        var entities: [Entity] = []
        var links: [Entity] = []
        for type in types {
            var entity = type.entity
            for declared in type.relationships {
                let relationship = declared.relationship
                entity.relationships.append(relationship)
                // Two different links of one name both stay, and validation refuses them. A type that is given twice
                // brings one link.
                if let link = declared.link, !links.contains(link) { links.append(link) }
            }
            entities.append(entity)
        }
        entities += links
        for given in DeclaredRule.all(of: types) {
            for entity in entities.indices where entities[entity].name == given.entity {
                for position in entities[entity].attributes.indices
                where entities[entity].attributes[position].name == given.attribute {
                    entities[entity].attributes[position].reference?.onDelete = given.rule
                }
            }
        }
        return entities
    }
}
