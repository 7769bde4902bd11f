import GranaryCore

extension EntityPlan {
    /// The meaning of a key of the source.
    enum Slot: Sendable {
        case attribute(Int)
        /// An attribute, but another key takes precedence: a mapped key, or the attribute's own name.
        case inferredAttribute(Int)
        /// A to-many relationship, by its index in the entity.
        case relationship(Int)
        /// A to-many relationship, but another key takes precedence: a mapped one, or the relationship's own name.
        case inferredRelationship(Int)
        /// A key that a path reads, or that is ignored.
        case passedOver
        case unknown

        /// Whether it is an attribute or a relationship.
        var hasValues: Bool {
            switch self {
            case .attribute, .inferredAttribute, .relationship, .inferredRelationship: true
            case .passedOver, .unknown: false
            }
        }

        /// The same meaning, if another key takes precedence.
        var inferred: Slot {
            switch self {
            case .attribute(let position): .inferredAttribute(position)
            case .relationship(let index): .inferredRelationship(index)
            default: self
            }
        }

        /// The name of the attribute or relationship.
        func name(in entity: Entity) -> String? {
            switch self {
            case .attribute(let position), .inferredAttribute(let position): entity.attributes[position].name
            case .relationship(let index), .inferredRelationship(let index): entity.relationships[index].name
            case .passedOver, .unknown: nil
            }
        }

        /// Whether both mean the same attribute or relationship.
        func isSame(as other: Slot) -> Bool {
            switch (self, other) {
            case (.attribute(let left), .attribute(let right)), (.relationship(let left), .relationship(let right)),
                (.attribute(let left), .inferredAttribute(let right)),
                (.inferredAttribute(let left), .attribute(let right)),
                (.relationship(let left), .inferredRelationship(let right)),
                (.inferredRelationship(let left), .relationship(let right)):
                left == right
            default: false
            }
        }
    }
}

extension Entity {
    /// The attribute or the to-many relationship with this name.
    func slot(named name: String) -> EntityPlan.Slot? {
        if let index = attributes.firstIndex(where: { $0.name.hasSameBytes(as: name) }) { return .attribute(index) }
        return relationships.firstIndex { $0.name.hasSameBytes(as: name) }.map { .relationship($0) }
    }
}
