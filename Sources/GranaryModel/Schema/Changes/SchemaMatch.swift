// Matches the entities and attributes of a program's schema with those of a stored one, first by the same name. If no
// stored item has the name, the earlier names are tried, and the first one that is stored matches. So a declaration can
// keep its earlier names for good: they have no effect on a store that knows the new name.

/// How the entities and attributes of a program's schema match those of a stored one.
package struct SchemaMatch: Sendable {
    /// For each entity of the program, the position of the stored one; nil for a new entity.
    package let entities: [Int?]
    /// For each entity of the program and each of its attributes, the position of the stored one; nil for a new
    /// attribute.
    package let attributes: [[Int?]]

    package init(_ stored: Schema, _ program: Schema) {
        let entities = program.entities.enumerated().map { place, entity in
            SchemaMatch.position(
                of: entity.name, at: place, in: stored.entities, \.name, earlier: program.earlierNames(of: entity),
                taken: program.entities)
        }
        self.entities = entities
        attributes = zip(program.entities, entities).map { entity, position in
            guard let position else { return entity.attributes.map { _ in nil } }
            let attributes = stored.entities[position].attributes
            return entity.attributes.enumerated().map { place, attribute in
                SchemaMatch.position(
                    of: attribute.name, at: place, in: attributes, \.name, earlier: attribute.renamedFrom,
                    taken: entity.attributes)
            }
        }
    }

    /// - Parameter place: The position in the program's schema, which is tried first, because most positions are the
    ///   same in the stored one.
    private static func position<Named>(
        of name: String, at place: Int, in stored: [Named], _ named: (Named) -> String, earlier: [String],
        taken: [Named]
    ) -> Int? {
        if place < stored.count, named(stored[place]) == name { return place }
        func position(of name: String) -> Int? { stored.firstIndex { named($0) == name } }
        if let position = position(of: name) { return position }
        for old in earlier where !taken.contains(where: { named($0) == old }) {
            if let position = position(of: old) { return position }
        }
        return nil
    }
}

/// An attribute, by positions in a schema.
package struct AttributePlace: Sendable, Hashable {
    package var entity: Int
    package var attribute: Int

    package init(entity: Int, attribute: Int) {
        self.entity = entity
        self.attribute = attribute
    }
}

extension SchemaMatch {
    /// The links that were references: for each link entity, by its position in the program's schema, the reference in
    /// the stored one. The reference has the name of the relationship, or one of its earlier names.
    package func linksFromReferences(_ stored: Schema, _ program: Schema) -> [Int: AttributePlace] {
        var found: [Int: AttributePlace] = [:]
        for (number, links) in program.entities.enumerated() where entities[number] == nil {
            guard let link = links.linkedRelationship,
                let owner = program.entities.firstIndex(where: { $0.name == link.owner }), let old = entities[owner],
                let target = program.entities.firstIndex(where: { $0.name == link.target }),
                let oldTarget = entities[target]
            else { continue }
            let relationship = program.entities[owner].relationships.first { $0.name == link.name }
            let names = [link.name] + (relationship?.renamedFrom ?? [])
            let kept = Set(attributes[owner].compactMap(\.self))
            found[number] = stored.entities[old].attributes.indices.first { position in
                let attribute = stored.entities[old].attributes[position]
                return !kept.contains(position) && names.contains(attribute.name)
                    && attribute.reference?.entity == stored.entities[oldTarget].name
            }.map { AttributePlace(entity: old, attribute: $0) }
        }
        return found
    }

    /// The references that were links: for each reference in the program's schema, the position of the link entity in
    /// the stored one. The relationship has the name of the reference, or one of its earlier names.
    package func referencesFromLinks(_ stored: Schema, _ program: Schema) -> [AttributePlace: Int] {
        var found: [AttributePlace: Int] = [:]
        let kept = Set(entities.compactMap(\.self))
        for (owner, entity) in program.entities.enumerated() {
            guard let old = entities[owner] else { continue }
            for (position, attribute) in entity.attributes.enumerated() where attributes[owner][position] == nil {
                guard let reference = attribute.reference,
                    let target = program.entities.firstIndex(where: { $0.name == reference.entity }),
                    let oldTarget = entities[target]
                else { continue }
                let names = [attribute.name] + attribute.renamedFrom
                found[AttributePlace(entity: owner, attribute: position)] = stored.entities.indices.first { number in
                    guard !kept.contains(number), let link = stored.entities[number].linkedRelationship else {
                        return false
                    }
                    return link.owner == stored.entities[old].name && link.target == stored.entities[oldTarget].name
                        && names.contains(link.name)
                }
            }
        }
        return found
    }
}

extension Schema {
    /// The schema of an earlier release, with the names of a later one as earlier names: items that the later release
    /// has renamed are renamed back. Renamed values are renamed back too, unless two of them became the same value.
    package func undoingRenames(of later: Schema) -> Schema {
        let match = SchemaMatch(self, later)
        var entities = entities
        for (new, position) in zip(later.entities.indices, match.entities) {
            guard let position else { continue }
            let (after, before) = (later.entities[new], entities[position])
            if after.name != before.name, after.linkedRelationship == nil {
                entities[position] = before.renamed(fromAll: [after.name] + before.renamedFrom)
            }
            for (attribute, place) in zip(after.attributes, match.attributes[new]) {
                guard let place else { continue }
                let known = before.attributes[place]
                if attribute.name != known.name {
                    entities[position].attributes[place] = known.renamed(fromAll: [attribute.name] + known.renamedFrom)
                }
                let added = attribute.renamedValues.filter { !known.renamedValues.contains($0) }
                guard !added.isEmpty, Set(added.map(\.new)).count == added.count else { continue }
                entities[position].attributes[place] = entities[position].attributes[place].renamingValues(
                    known.renamedValues.filter { old in !added.contains { $0.old == old.new } }
                        + added.map { ValueRenaming($0.new, to: $0.old) })
            }
            for (place, relationship) in before.relationships.enumerated() {
                guard let name = after.relationships.first(where: { $0.renamedFrom.contains(relationship.name) })?.name,
                    !before.relationships.contains(where: { $0.name == name })
                else { continue }
                entities[position].relationships[place] = relationship.renamed(
                    fromAll: [name] + relationship.renamedFrom)
            }
        }
        return replacing(entities)
    }

    /// The earlier names of an entity. For links they are derived from the names of the owner and of the relationship.
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
