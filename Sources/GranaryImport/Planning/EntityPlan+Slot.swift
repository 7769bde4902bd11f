import GranaryCore

extension EntityPlan {
    /// What a key of the source means.
    enum Slot: Sendable {
        case attribute(Int)
        /// An attribute that another key means more exactly: one that is mapped, or its own name. The other one counts.
        case inferredAttribute(Int)
        /// A to-many relationship, by its place among the entity's.
        case relationship(Int)
        /// A to-many relationship that has a mapped key as well, which counts.
        case inferredRelationship(Int)
        /// It is read by a path, or ignored.
        case passedOver
        case unknown

        /// Whether it is an attribute or a relationship.
        var hasValues: Bool {
            switch self {
            case .attribute, .inferredAttribute, .relationship, .inferredRelationship: true
            case .passedOver, .unknown: false
            }
        }

        /// The same where another key means it more exactly.
        var inferred: Slot {
            switch self {
            case .attribute(let position): .inferredAttribute(position)
            case .relationship(let index): .inferredRelationship(index)
            default: self
            }
        }

        /// The name of the attribute or relationship that it is.
        func name(in entity: Entity) -> String? {
            switch self {
            case .attribute(let position), .inferredAttribute(let position): entity.attributes[position].name
            case .relationship(let index), .inferredRelationship(let index): entity.relationships[index].name
            case .passedOver, .unknown: nil
            }
        }

        /// Whether both are one attribute or one relationship.
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
    /// The attribute or the to-many relationship of a name.
    func slot(named name: String) -> EntityPlan.Slot? {
        if let index = attributes.firstIndex(where: { $0.name.hasSameBytes(as: name) }) { return .attribute(index) }
        return relationships.firstIndex { $0.name.hasSameBytes(as: name) }.map { .relationship($0) }
    }
}
