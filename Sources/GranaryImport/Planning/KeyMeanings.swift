import GranaryCore

/// What the keys of a source mean for one entity.
struct KeyMeanings: Sendable {
    private let entity: Entity
    private let exact: [String: EntityPlan.Slot]
    private let inferred: [String: EntityPlan.Slot]

    /// - Parameters:
    ///   - exact: What keys mean as they are written.
    ///   - inferred: What normalized keys mean; empty if nothing is inferred.
    init(_ entity: Entity, exact: [String: EntityPlan.Slot], inferred: [String: EntityPlan.Slot]) {
        self.entity = entity
        self.exact = exact
        self.inferred = inferred
    }

    func slot(of key: String) -> EntityPlan.Slot {
        if let known = exact[key] { return known }
        if entity.version.map({ $0.hasSameBytes(as: key) }) ?? false { return .passedOver }
        let slot = inferred[key.normalizedKey] ?? .unknown
        // The exact name decides between names that differ in case or underscores alone.
        if !inferred.isEmpty, let position = entity.attributes.firstIndex(where: { $0.name.hasSameBytes(as: key) }) {
            if case .inferredAttribute = slot {} else { return .attribute(position) }
        }
        // A key in another spelling means it less exactly.
        return switch slot {
        case .attribute(let position): .inferredAttribute(position)
        case .relationship(let index) where !entity.relationships[index].name.hasSameBytes(as: key):
            .inferredRelationship(index)
        default: slot
        }
    }
}
