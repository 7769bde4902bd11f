extension Schema {
    /// Refuses two types that each declare a many-to-many relationship to the other's type and no inverse: they would
    /// have two sets of links, and links of one side would not appear on the other.
    ///
    /// Only for record types: a store that was made with two sets of links can still be opened with its own schema.
    func validateLinkPairs() throws {
        guard !recordTypes.isEmpty else { return }
        let single = entities.flatMap { entity in entity.relationships.compactMap { link($0, ownedBy: entity) } }
            .filter { !hasInverse($0) }
        for (number, first) in single.enumerated() {
            let other = single[(number + 1)...].first { $0.owner == first.target && $0.target == first.owner }
            guard let other, first.owner != other.owner else { continue }
            // If only one side is ordered, that side should own the links.
            let (owner, inverse) = isOrdered(other) && !isOrdered(first) ? (other, first) : (first, other)
            throw GranaryError(
                .invalidSchema,
                "\(owner.path) and \(inverse.path) would each have links of their own, and neither would show those of"
                    + " the other. In \(inverse.owner) write: static let \(inverse.name) = ManyToMany(\\\(owner.owner)"
                    + ".Fields.\(owner.name)). If two relationships are meant, declare the inverse of one of them, too.",
                entity: inverse.owner, attributes: [inverse.name])
        }
    }

    /// The relationship with its ends if it owns its links.
    private func link(_ relationship: Relationship, ownedBy entity: Entity) -> LinkedRelationship? {
        guard relationship.attribute == Relationship.source else { return nil }
        let links = entities.first { $0.name == relationship.entity }?.linkedRelationship
        guard let links, links.owner == entity.name, links.name == relationship.name else { return nil }
        return links
    }

    private func hasInverse(_ links: LinkedRelationship) -> Bool {
        entities.first { $0.name == links.target }?.relationships.contains {
            $0.entity == Relationship.linkEntity(of: links.owner, links.name) && $0.attribute == Relationship.target
        } ?? false
    }

    private func isOrdered(_ links: LinkedRelationship) -> Bool {
        entities.first { $0.name == links.owner }?.relationships.first { $0.name == links.name }?.orderedBy != nil
    }
}
