/// What writing the records of an entity must keep to: its unique indexes, what it refers to, and what refers to it.
final class EntityRules {
    struct Unique {
        var attributes: [String]
        var values: IndexedValues
    }

    let entity: Entity
    let keyPosition: Int
    private(set) var uniques: [Unique] = []
    /// What its records refer to, and what refers to them.
    let outgoing: [ReferenceMap.Outgoing]
    let incoming: [ReferenceMap.Incoming]
    /// By attribute.
    let values: [ValueRule]

    var assignsKeys: Bool { entity.keyGeneration == .assigned }

    /// By what its pending records are looked for: the unique indexes, then the references.
    var lookups: [IndexedValues] { uniques.map(\.values) + outgoing.map { IndexedValues($0.position) } }

    /// The number of a reference among the lookups.
    func lookup(ofReferenceAt position: Int) -> Int {
        uniques.count + (outgoing.firstIndex { $0.position == position } ?? 0)
    }

    private init(_ entity: Entity, _ outgoing: [ReferenceMap.Outgoing], _ incoming: [ReferenceMap.Incoming]) {
        self.entity = entity
        self.outgoing = outgoing
        self.incoming = incoming
        keyPosition = entity.keyPosition
        values = entity.attributes.map(ValueRule.init)
        for index in entity.indexes where index.isUnique {
            uniques.append(Unique(attributes: index.attributes, values: IndexedValues(index, of: entity)))
        }
    }

    /// The rules of all entities, by position.
    static func all(of schema: Schema) -> [EntityRules] {
        let map = ReferenceMap(schema)
        return schema.entities.indices.map { EntityRules(schema.entities[$0], map.outgoing[$0], map.incoming[$0]) }
    }
}
