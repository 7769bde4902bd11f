// Makes a schema from a stored one by renaming and removing, without a program that declares it. Renaming also changes
// the names in keys, indexes, references and relationships, and the names of link entities, which begin with their
// owner's name.

/// An entity, or one of its attributes or relationships, by name: `Song`, `Song.rating`.
package struct SchemaPath: Sendable, Hashable, CustomStringConvertible {
    package var entity: String
    /// Nil for the entity itself.
    package var attribute: String?

    /// Nil for text that is not a path.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        (entity, attribute) = (parts[0], parts.count == 2 ? parts[1] : nil)
    }

    package var description: String { attribute.map { "\(entity).\($0)" } ?? entity }
}

/// The old and the new name of an entity, an attribute or a relationship.
package struct SchemaRenaming: Sendable, Hashable {
    package var old: SchemaPath
    package var new: SchemaPath

    package init(from old: SchemaPath, to new: SchemaPath) { (self.old, self.new) = (old, new) }
}

extension Schema {
    /// Applies renamings and removals to the schema of a store. Entities are renamed first. A removed item, and the
    /// entity of a renamed attribute, may be given by its old or by its new name.
    ///
    /// - Throws: `unknownEntity`, `unknownAttribute`; `invalidSchema` if a removal or a renaming is not possible.
    package func editing(_ renamings: [SchemaRenaming], removing removed: [SchemaPath]) throws -> Schema {
        var editor = SchemaEditor(entities: entities)
        for renaming in renamings where renaming.old.attribute == nil { try editor.renameEntity(renaming) }
        for renaming in renamings where renaming.old.attribute != nil { try editor.renameAttribute(renaming) }
        for path in removed { if let attribute = path.attribute { try editor.remove(attribute, path) } }
        try editor.removeEntities(removed.filter { $0.attribute == nil })
        let schema = Schema(entities: editor.entities)
        try schema.validate()
        return schema
    }

    /// The schema of a program with earlier names for its entities, attributes and relationships.
    ///
    /// - Throws: `unknownEntity`, `unknownAttribute`; `invalidSchema` for names that contradict each other.
    package func renaming(_ renamings: [SchemaRenaming]) throws -> Schema {
        if renamings.isEmpty { return self }
        var entities = entities
        func names(_ old: String, _ earlier: [String]) -> [String] { [old] + earlier.filter { $0 != old } }
        for renaming in renamings {
            let position = try self.position(ofEntity: renaming.new.entity)
            let entity = entities[position]
            guard let (old, new) = try renaming.attributes() else {
                entities[position] = entity.renamed(fromAll: names(renaming.old.entity, entity.renamedFrom))
                continue
            }
            if let place = entity.relationships.firstIndex(where: { $0.name == new }) {
                let relationship = entity.relationships[place]
                entities[position].relationships[place] = relationship.renamed(
                    fromAll: names(old, relationship.renamedFrom))
            } else {
                let place = try entity.position(ofAttribute: new)
                let attribute = entity.attributes[place]
                entities[position].attributes[place] = attribute.renamed(fromAll: names(old, attribute.renamedFrom))
            }
        }
        let schema = replacing(entities)
        try schema.validate()
        return schema
    }
}

extension SchemaRenaming {
    /// The old and new name within the entity; nil if the entity itself is renamed.
    fileprivate func attributes() throws -> (old: String, new: String)? {
        guard let old = old.attribute, let new = new.attribute else {
            guard old.attribute == nil, new.attribute == nil else { throw contradiction }
            return nil
        }
        return (old, new)
    }

    fileprivate var contradiction: GranaryError {
        GranaryError(
            .invalidSchema,
            "\(old) cannot become \(new). Rename an entity to an entity, or an attribute to an attribute.",
            entity: old.entity)
    }
}

private struct SchemaEditor {
    var entities: [Entity]

    private func position(_ name: String) throws -> Int {
        if let position = entities.firstIndex(where: { $0.name == name }) { return position }
        if let position = entities.firstIndex(where: { $0.renamedFrom.contains(name) }) { return position }
        return try Schema(entities: entities).position(ofEntity: name)
    }

    mutating func renameEntity(_ renaming: SchemaRenaming) throws {
        guard renaming.new.attribute == nil else { throw renaming.contradiction }
        let (position, new) = (try self.position(renaming.old.entity), renaming.new.entity)
        let old = entities[position].name
        var names = [old: new]
        for links in entities {
            guard let link = links.linkedRelationship, link.owner == old else { continue }
            names[links.name] = Relationship.linkEntity(of: new, link.name)
        }
        entities[position] = entities[position].renamed(fromAll: [old])
        follow(names)
    }

    /// Renames entities, wherever their names are used.
    private mutating func follow(_ names: [String: String]) {
        for number in entities.indices {
            entities[number].name = names[entities[number].name] ?? entities[number].name
            for place in entities[number].attributes.indices {
                guard let target = entities[number].attributes[place].reference?.entity, let name = names[target] else {
                    continue
                }
                entities[number].attributes[place].reference?.entity = name
            }
            for place in entities[number].relationships.indices {
                guard let name = names[entities[number].relationships[place].entity] else { continue }
                entities[number].relationships[place].entity = name
            }
        }
    }

    mutating func renameAttribute(_ renaming: SchemaRenaming) throws {
        let position = try self.position(renaming.old.entity)
        guard let (old, new) = try renaming.attributes(),
            try self.position(renaming.new.entity) == position
        else { throw renaming.contradiction }
        let entity = entities[position]
        if let place = entity.relationships.firstIndex(where: { $0.name == old }) {
            entities[position].relationships[place] = entity.relationships[place].renamed(fromAll: [old])
            entities[position].relationships[place].name = new
            if let links = self.links(of: entity, old) {
                follow([links: Relationship.linkEntity(of: entity.name, new)])
            }
            return
        }
        let place = try entity.position(ofAttribute: old)
        entities[position].attributes[place] = entity.attributes[place].renamed(fromAll: [old])
        entities[position].attributes[place].name = new
        if entity.key == old { entities[position].key = new }
        if entity.version == old { entities[position].version = new }
        for index in entity.indexes.indices {
            entities[position].indexes[index].attributes = entity.indexes[index].attributes.map { $0 == old ? new : $0 }
        }
        for number in entities.indices {
            entities[number].relationships = entities[number].relationships.map { relationship in
                guard relationship.entity == entity.name else { return relationship }
                var renamed = relationship
                if renamed.attribute == old { renamed.attribute = new }
                if renamed.through == old { renamed.through = new }
                if renamed.orderedBy == old { renamed.orderedBy = new }
                return renamed
            }
        }
    }

    /// The entity of the links that a relationship of an entity owns; nil if it owns none.
    private func links(of entity: Entity, _ relationship: String) -> String? {
        entities.first {
            $0.linkedRelationship?.owner == entity.name && $0.linkedRelationship?.name == relationship
        }?.name
    }

    /// Removes entities together with the links that they own.
    mutating func removeEntities(_ paths: [SchemaPath]) throws {
        var gone: Set<String> = []
        for path in paths {
            let name = entities[try position(path.entity)].name
            gone.insert(name)
            for links in entities where links.linkedRelationship?.owner == name { gone.insert(links.name) }
        }
        entities.removeAll { gone.contains($0.name) }
        try forget(gone)
    }

    /// Removes an attribute or a relationship of an entity.
    mutating func remove(_ name: String, _ path: SchemaPath) throws {
        let position = try self.position(path.entity)
        let entity = entities[position]
        if entity.relationships.contains(where: { $0.name == name }) {
            entities[position].relationships.removeAll { $0.name == name }
            guard let links = self.links(of: entity, name) else { return }
            entities.removeAll { $0.name == links }
            return try forget([links])
        }
        let place =
            try entity.attributes.firstIndex { $0.renamedFrom.contains(name) } ?? entity.position(ofAttribute: name)
        let attribute = entity.attributes[place].name
        guard attribute != entity.key else {
            throw GranaryError(
                .invalidSchema, "\(path) is the key, without which records cannot be kept. Drop the entity instead.",
                entity: entity.name, attributes: [attribute])
        }
        entities[position].attributes.remove(at: place)
        entities[position].indexes.removeAll { $0.attributes.contains(attribute) }
        if entity.version == attribute { entities[position].version = nil }
        if entities[position].searchedPositions.isEmpty { entities[position].words = WordRules() }
        for number in entities.indices {
            entities[number].relationships.removeAll { relationship in
                relationship.entity == entity.name
                    && (relationship.attribute == attribute || relationship.through == attribute)
            }
            for place in entities[number].relationships.indices
            where entities[number].relationships[place].entity == entity.name
                && entities[number].relationships[place].orderedBy == attribute
            {
                entities[number].relationships[place].orderedBy = nil
            }
        }
    }

    /// Removes the relationships over removed entities.
    private mutating func forget(_ gone: Set<String>) throws {
        for number in entities.indices {
            entities[number].relationships.removeAll { gone.contains($0.entity) }
            for attribute in entities[number].attributes {
                guard let target = attribute.reference?.entity, gone.contains(target) else { continue }
                let referring = entities[number].path(of: attribute.name)
                throw GranaryError(
                    .invalidSchema,
                    "\(target) cannot be dropped, as \(referring) refers to its records. Drop \(referring), too.",
                    about: entities[number], [attribute.name])
            }
        }
    }
}
