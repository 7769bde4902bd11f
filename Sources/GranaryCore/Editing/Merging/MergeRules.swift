/// The merge rules of an entity that follow from its relationships.
struct MergeRules: Sendable {
    /// A list: the entity's records with the same owner, ordered by a number.
    struct List: Sendable, Hashable {
        /// The position of the reference to the owner.
        var owner: Int
        /// The position of the number that orders them.
        var place: Int
    }

    /// The positions of the two references if the records are links of a many-to-many relationship.
    var ends: (source: Int, target: Int)?
    /// The relationship that the links belong to.
    var linked: LinkedRelationship?
    var lists: [List] = []

    /// Whether the library writes the attribute at a position to keep an order.
    func isPlace(_ position: Int) -> Bool { lists.contains { $0.place == position } }

    /// Whether two states of a record differ only in places in lists.
    func differInPlacesAlone(_ one: StoredRow, _ other: StoredRow) -> Bool {
        !lists.isEmpty && one.difference(from: other).positions.allSatisfy(isPlace)
    }

    /// Whether two links have the same ends.
    func haveSameEnds(_ one: StoredRow, _ other: StoredRow) -> Bool {
        guard let ends else { return false }
        return areSame(one[ends.source], other[ends.source]) && areSame(one[ends.target], other[ends.target])
    }

    /// The rules of all entities, by position.
    static func all(of schema: Schema) -> [MergeRules] {
        var rules = schema.entities.map { entity in
            var rules = MergeRules()
            if let linked = entity.linkedRelationship,
                let source = try? entity.position(ofAttribute: Relationship.source),
                let target = try? entity.position(ofAttribute: Relationship.target)
            {
                rules.linked = linked
                rules.ends = (source, target)
            }
            return rules
        }
        let ordered = schema.entities.flatMap(\.relationships).filter { $0.orderedBy != nil }
        if ordered.isEmpty { return rules }
        let positions = Dictionary(schema.entities.enumerated().map { ($1.name, $0) }) { first, _ in first }
        for relationship in ordered {
            guard let order = relationship.orderedBy, let position = positions[relationship.entity],
                let owner = try? schema.entities[position].position(ofAttribute: relationship.attribute),
                let place = try? schema.entities[position].position(ofAttribute: order),
                schema.entities[position].attributes[place].type.holdsPlaces
            else { continue }
            let list = List(owner: owner, place: place)
            if !rules[position].lists.contains(list) { rules[position].lists.append(list) }
        }
        return rules
    }
}
