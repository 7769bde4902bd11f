// Which entity and attribute of a stored schema is which of a program's. One with the same name is the same. Only where
// none is, the names that it had before are tried, the first of them that is stored. So a declaration can keep its old
// names for good: they say nothing of a store that knows the new one.

/// How the entities and attributes of a program's schema match those of a stored one.
struct SchemaMatch {
    /// For each entity of the program the position of the stored one; nil for a new one.
    let entities: [Int?]
    /// For each entity of the program, for each attribute, the position of the stored one; nil for a new one.
    let attributes: [[Int?]]

    init(_ stored: Schema, _ program: Schema) {
        let names = stored.entities.map(\.name)
        let mine = Set(program.entities.map(\.name))
        let entities = program.entities.map { entity in
            SchemaMatch.position(of: entity.name, program.earlierNames(of: entity), in: names, taken: mine)
        }
        self.entities = entities
        attributes = zip(program.entities, entities).map { entity, position in
            guard let position else { return entity.attributes.map { _ in nil } }
            let names = stored.entities[position].attributes.map(\.name)
            let mine = Set(entity.attributes.map(\.name))
            return entity.attributes.map {
                SchemaMatch.position(of: $0.name, $0.renamedFrom, in: names, taken: mine)
            }
        }
    }

    private static func position(
        of name: String, _ earlier: [String], in stored: [String], taken: Set<String>
    ) -> Int? {
        if let position = stored.firstIndex(of: name) { return position }
        for old in earlier where !taken.contains(old) {
            if let position = stored.firstIndex(of: old) { return position }
        }
        return nil
    }
}

extension Schema {
    /// The names that an entity had before. Links have those that follow from the names of their owner and of the
    /// relationship.
    func earlierNames(of entity: Entity) -> [String] {
        guard let link = entity.linkedRelationship, let owner = entities.first(where: { $0.name == link.owner }) else {
            return entity.renamedFrom
        }
        let relationship = owner.relationships.first { $0.name == link.name }
        return ([owner.name] + owner.renamedFrom).flatMap { owner in
            ([link.name] + (relationship?.renamedFrom ?? [])).map { Relationship.linkEntity(of: owner, $0) }
        }.filter { $0 != entity.name }
    }
}
