import GranaryCore

/// The meanings of the keys of a source for one entity.
struct KeyMeanings: Sendable {
    private let entity: Entity
    private let exact: [String: EntityPlan.Slot]
    private let inferred: [String: EntityPlan.Slot]

    /// - Parameters:
    ///   - exact: The meanings of keys in their exact spelling.
    ///   - inferred: The meanings of normalized keys; empty if nothing is inferred.
    init(_ entity: Entity, exact: [String: EntityPlan.Slot], inferred: [String: EntityPlan.Slot]) {
        self.entity = entity
        self.exact = exact
        self.inferred = inferred
    }

    func slot(of key: String) -> EntityPlan.Slot {
        if let known = exact[key] { return known }
        if entity.version.map({ $0.hasSameBytes(as: key) }) ?? false { return .passedOver }
        let slot = inferred[key.normalizedKey] ?? .unknown
        // If two names differ only in case or underscores, the exact name decides.
        if !inferred.isEmpty, let position = entity.attributes.firstIndex(where: { $0.name.hasSameBytes(as: key) }) {
            if case .inferredAttribute = slot {} else { return .attribute(position) }
        }
        // A key in another spelling yields to the exact name.
        return switch slot {
        case .attribute(let position): .inferredAttribute(position)
        case .relationship(let index) where !entity.relationships[index].name.hasSameBytes(as: key):
            .inferredRelationship(index)
        default: slot
        }
    }
}
