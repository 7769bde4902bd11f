/// What writing the records of an entity must keep to: its unique indexes, what it refers to, and what refers to it.
final class EntityRules {
    struct Unique {
        var attributes: [String]
        var values: IndexedValues
    }

    /// A reference that is checked when a record is written.
    struct Outgoing {
        var position: Int
        var target: Int
    }

    /// A reference of another entity, or of this one, that a deletion must follow.
    struct Incoming {
        var entity: Int
        var position: Int
        var rule: DeleteRule
        /// Its number among the lookups of its entity.
        var lookup: Int
    }

    let entity: Entity
    let keyPosition: Int
    private(set) var uniques: [Unique] = []
    private(set) var outgoing: [Outgoing] = []
    private(set) var incoming: [Incoming] = []

    var assignsKeys: Bool { entity.keyGeneration == .assigned }

    /// By what its pending records are looked for: the unique indexes, then the references.
    var lookups: [IndexedValues] { uniques.map(\.values) + outgoing.map { IndexedValues($0.position) } }

    private init(_ entity: Entity) {
        self.entity = entity
        keyPosition = entity.keyPosition
        for index in entity.indexes where index.isUnique {
            uniques.append(Unique(attributes: index.attributes, values: IndexedValues(index, of: entity)))
        }
    }

    /// The rules of all entities, by position.
    static func all(of schema: Schema) -> [EntityRules] {
        let rules = schema.entities.map(EntityRules.init)
        var positions: [String: Int] = [:]
        for (number, entity) in schema.entities.enumerated() { positions[entity.name] = number }
        for (source, entity) in schema.entities.enumerated() {
            for (position, attribute) in entity.attributes.enumerated() {
                guard let reference = attribute.reference, reference.onDelete != .noAction,
                    let target = positions[reference.entity]
                else { continue }
                let lookup = rules[source].uniques.count + rules[source].outgoing.count
                rules[source].outgoing.append(Outgoing(position: position, target: target))
                rules[target].incoming.append(
                    Incoming(entity: source, position: position, rule: reference.onDelete, lookup: lookup))
            }
        }
        return rules
    }
}
