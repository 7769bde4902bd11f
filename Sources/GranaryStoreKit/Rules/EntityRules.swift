/// What writing the records of an entity must keep to: its unique indexes, what it refers to, and what refers to it.
package final class EntityRules: Sendable {
    package struct Unique: Sendable {
        package var attributes: [String]
        package var values: IndexedValues
    }

    package let entity: Entity
    package let keyPosition: Int
    package let uniques: [Unique]
    /// What its records refer to, and what refers to them.
    package let outgoing: [ReferenceMap.Outgoing]
    /// The attributes of `outgoing`.
    package let references: AttributeSet
    package let incoming: [ReferenceMap.Incoming]
    /// By attribute.
    package let values: [ValueRule]

    package var assignsKeys: Bool { entity.keyGeneration == .assigned }

    /// By what its records are looked for: the unique indexes, then the references.
    package var lookups: [IndexedValues] { uniques.map(\.values) + outgoing.map { IndexedValues($0.position) } }

    /// The number of a reference among the lookups.
    package func lookup(ofReferenceAt position: Int) -> Int {
        uniques.count + (outgoing.firstIndex { $0.position == position } ?? 0)
    }

    /// Whether a record is given its key when it is inserted.
    package func needsKey(_ cell: Cell) -> Bool { assignsKeys && cell.kind == .integer && cell.integerValue == 0 }

    private init(_ entity: Entity, _ outgoing: [ReferenceMap.Outgoing], _ incoming: [ReferenceMap.Incoming]) {
        self.entity = entity
        self.outgoing = outgoing
        references = AttributeSet(outgoing.lazy.map(\.position))
        self.incoming = incoming
        keyPosition = entity.keyPosition
        values = entity.attributes.map(ValueRule.init)
        uniques = entity.indexes.filter(\.isUnique).map { index in
            Unique(attributes: index.attributes, values: IndexedValues(index, of: entity))
        }
    }

    /// The rules of all entities, by position.
    package static func all(of schema: Schema) -> [EntityRules] {
        let map = ReferenceMap(schema)
        return schema.entities.indices.map { EntityRules(schema.entities[$0], map.outgoing[$0], map.incoming[$0]) }
    }
}
