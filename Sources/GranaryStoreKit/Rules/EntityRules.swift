/// The rules for writing records of an entity: its unique indexes, its references, and the references to it.
@usableFromInline package final class EntityRules: Sendable {
    package struct Unique: Sendable {
        package var attributes: [String]
        package var values: IndexedValues
    }

    package let entity: Entity
    /// The entity's position in the schema.
    package let number: Int
    package let keyPosition: Int
    package let uniques: [Unique]
    /// The references of its records, and the references to them.
    package let outgoing: [ReferenceMap.Outgoing]
    /// The attributes of `outgoing`.
    package let references: AttributeSet
    package let incoming: [ReferenceMap.Incoming]
    /// The rule for each attribute.
    package let values: [ValueRule]

    package var assignsKeys: Bool { entity.keyGeneration == .assigned }

    /// The values by which its records are looked up: the unique indexes, then the references.
    package var lookups: [IndexedValues] { uniques.map(\.values) + outgoing.map { IndexedValues($0.position) } }

    /// The number of a reference among the lookups.
    package func lookup(ofReferenceAt position: Int) -> Int {
        uniques.count + (outgoing.firstIndex { $0.position == position } ?? 0)
    }

    /// Whether a record gets its key when it is inserted.
    package func needsKey(_ cell: Cell) -> Bool { assignsKeys && EntityRules.isToBeAssigned(cell) }

    /// Whether the key of a record means that a key is still to be assigned. For entities that assign keys.
    @inlinable package static func isToBeAssigned(_ cell: Cell) -> Bool {
        cell.kind == .integer && cell.integerValue == 0
    }

    private init(_ number: Int, of schema: Schema, _ map: ReferenceMap) {
        let entity = schema.entities[number]
        (self.entity, self.number) = (entity, number)
        outgoing = map.outgoing[number]
        references = AttributeSet(outgoing.lazy.map(\.position))
        incoming = map.incoming[number]
        keyPosition = entity.keyPosition
        values = entity.attributes.map(ValueRule.init)
        uniques = entity.indexes.filter(\.isUnique).map { index in
            Unique(attributes: index.attributes, values: IndexedValues(index, of: entity))
        }
    }

    /// The rules of all entities, by position.
    package static func all(of schema: Schema) -> [EntityRules] {
        let references = ReferenceMap(schema)
        return schema.entities.indices.map { EntityRules($0, of: schema, references) }
    }
}
