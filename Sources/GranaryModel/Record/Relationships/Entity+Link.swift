extension Relationship {
    /// A link entity's reference to the owner.
    package static let source = "source"
    /// A link entity's reference to the other side.
    package static let target = "target"
    /// A link entity's place among the owner's links.
    package static let position = "position"

    /// The name of the entity that holds a many-to-many relationship's links.
    static func linkEntity(of owner: String, _ name: String) -> String { "\(owner)_\(name)" }
}

extension Entity {
    /// The entity that holds a many-to-many relationship's links. It names the two types' entities without making them:
    /// they may be on their way to being made, by a static property that waits for this.
    static func link<Root: Record, Target: Record>(
        _ name: String, from root: Root.Type, to target: Target.Type, isOrdered: Bool, onDelete: LinkDeleteRule
    ) -> Entity {
        let rule: DeleteRule =
            switch onDelete {
            case .nullify: .cascade
            case .deny: .deny
            }
        var attributes = [
            Attribute("id", .int64),
            Attribute(Relationship.source, Ref<Root>.self, onDelete: rule),
            Attribute(Relationship.target, Ref<Target>.self, onDelete: .cascade),
        ]
        var indexes: [Index] = [.unique(Relationship.source, Relationship.target), .index(Relationship.target)]
        if isOrdered {
            attributes.append(Attribute(Relationship.position, .int64))
            indexes.append(.index(Relationship.source, Relationship.position))
        }
        return Entity(name, key: "id", keyGeneration: .assigned, attributes: attributes, indexes: indexes)
    }
}
