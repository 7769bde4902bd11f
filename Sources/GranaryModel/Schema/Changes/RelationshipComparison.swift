// Nothing is stored under the name of a to-many relationship: it is the inverse of a reference, or of links. A
// relationship that is added, removed or renamed together with its reference or its links is not a change of its own.
// Only differences of the declaration itself remain, and these cost nothing.

/// Compares the to-many relationships of stored entities with those that a program declares for them.
struct RelationshipComparison {
    let stored: Schema
    let program: Schema
    let match: SchemaMatch

    /// The changes of one entity.
    ///
    /// - Parameters:
    ///   - number: The position of the entity in the program's schema.
    ///   - position: Its position in the stored one.
    func changes(of number: Int, from position: Int) -> [SchemaChange] {
        let (entity, old) = (program.entities[number], stored.entities[position])
        var gone = old.relationships.filter { !$0.ownsLinks(of: old.name) }.compactMap { inNewNames($0, of: entity) }
        var changes: [SchemaChange] = []
        for relationship in entity.relationships
        where !relationship.ownsLinks(of: entity.name) && isStored(relationship, for: old) {
            let place =
                gone.firstIndex { $0.name == relationship.name }
                ?? gone.firstIndex { relationship.renamedFrom.contains($0.name) }
                ?? gone.firstIndex { one in
                    one.isSameWay(as: relationship)
                        && !entity.relationships.contains(where: { $0.name == one.name })
                }
            guard let place else {
                changes.append(.relationshipDeclarationChanged(entity: entity.name, from: nil, to: relationship))
                continue
            }
            var other = gone.remove(at: place)
            // An order over a new attribute is part of adding that attribute.
            if let order = relationship.orderedBy, storedPlace(of: order, in: relationship.entity) == nil {
                other.orderedBy = order
            }
            if other != relationship {
                changes.append(.relationshipDeclarationChanged(entity: entity.name, from: other, to: relationship))
            }
        }
        for other in gone where !entity.relationships.contains(where: { $0.name == other.name }) {
            changes.append(.relationshipDeclarationChanged(entity: entity.name, from: other, to: nil))
        }
        return changes
    }

    /// A stored relationship with the current names of its entity and attributes; nil if its reference or its links no
    /// longer exist or have another target.
    private func inNewNames(_ relationship: Relationship, of owner: Entity) -> Relationship? {
        guard let old = stored.entities.firstIndex(where: { $0.name == relationship.entity }),
            let new = match.entities.firstIndex(of: old)
        else { return nil }
        func attribute(_ name: String) -> Attribute? {
            guard let place = stored.entities[old].attributes.firstIndex(where: { $0.name == name }),
                let position = match.attributes[new].firstIndex(of: place)
            else { return nil }
            return program.entities[new].attributes[position]
        }
        guard let reference = attribute(relationship.attribute), reference.reference?.entity == owner.name else {
            return nil
        }
        var renamed = relationship
        renamed.entity = program.entities[new].name
        renamed.attribute = reference.name
        renamed.orderedBy = relationship.orderedBy.flatMap { attribute($0)?.name }
        if let through = relationship.through {
            guard let other = attribute(through), other.reference != nil else { return nil }
            renamed.through = other.name
        }
        return renamed
    }

    /// Whether the store has the reference, or the links, of a declared relationship.
    private func isStored(_ relationship: Relationship, for owner: Entity) -> Bool {
        guard let place = storedPlace(of: relationship.attribute, in: relationship.entity) else { return false }
        let attribute = stored.entities[place.entity].attributes[place.attribute]
        return attribute.reference?.entity == owner.name
    }

    /// The stored place of an attribute of the program; nil if it is new.
    private func storedPlace(of attribute: String, in entity: String) -> AttributePlace? {
        guard let number = program.entities.firstIndex(where: { $0.name == entity }),
            let position = match.entities[number],
            let place = program.entities[number].attributes.firstIndex(where: { $0.name == attribute }),
            let old = match.attributes[number][place]
        else { return nil }
        return AttributePlace(entity: position, attribute: old)
    }
}

extension Relationship {
    /// Whether it is the side of a many-to-many relationship that owns the links: changes of these are reported for the
    /// link entity.
    fileprivate func ownsLinks(of owner: String) -> Bool {
        through == Relationship.target && attribute == Relationship.source
            && entity == Relationship.linkEntity(of: owner, name)
    }

    /// Whether both use the same reference, or the same links, and the same order.
    fileprivate func isSameWay(as other: Relationship) -> Bool {
        entity == other.entity && attribute == other.attribute && through == other.through
            && orderedBy == other.orderedBy
    }

    /// The reference or links, and the order: `Song.artist`, `Playlist_songs.target, ordered by position`.
    fileprivate var way: String {
        "\(entity).\(attribute)" + (through.map { " through \($0)" } ?? "")
            + (orderedBy.map { ", ordered by \($0)" } ?? "")
    }
}

extension SchemaChange {
    /// A change of a declared to-many relationship in words.
    static func text(ofRelationshipIn entity: String, from old: Relationship?, to new: Relationship?) -> String {
        switch (old, new) {
        case (nil, nil): "\(entity) has the same to-many relationships"
        case (nil, let new?): "the to-many relationship \(entity).\(new.name) is added"
        case (let old?, nil): "the to-many relationship \(entity).\(old.name) is removed"
        case (let old?, let new?):
            if old.name == new.name {
                "the to-many relationship \(entity).\(new.name) changes from \(old.way) to \(new.way)"
            } else {
                "\(entity).\(new.name) is the new name of the to-many relationship \(old.name)"
            }
        }
    }

    /// Whether the change concerns stored data. False only for changes in declarations of to-many relationships.
    package var changesStorage: Bool {
        if case .relationshipDeclarationChanged = self { false } else { true }
    }
}

extension SchemaDifference {
    /// Whether more differs than declarations of to-many relationships. This is so exactly if the fingerprints differ.
    package var changesStorage: Bool { changes.contains(where: \.changesStorage) }
}

extension Schema {
    /// A stored schema with the to-many relationships that a program declares for the same entities; nil if it has them
    /// already. Both schemas have the same fingerprint.
    package func declaringRelationships(of program: Schema) -> Schema? {
        guard fingerprint == program.fingerprint else { return nil }
        let declared = Dictionary(
            program.entities.map { ($0.name, $0.relationships) }, uniquingKeysWith: { first, _ in first })
        let changed = entities.map { entity in
            var entity = entity
            if let wanted = declared[entity.name], Set(wanted) != Set(entity.relationships) {
                entity.relationships = wanted
            }
            return entity
        }
        return changed == entities ? nil : replacing(changed)
    }
}
