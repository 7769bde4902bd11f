import GranaryPlatform

// Code runs on records that have everything that the release adds, and still have everything that it removes or
// forbids: it carries values over, merges duplicates and fills in values that will be required. So a stage with code
// has two parts. The first part makes new files, the draft, for a schema between the two, and runs the code there. The
// second part brings the draft to the stage's own schema, where uniqueness and required values are checked. Only the
// files of the second part become the store's: if anything fails, the store stays as it was. If nothing is removed or
// forbidden, the draft is left out.

/// Makes a store for a schema that exists while a closure uses it.
package typealias DraftMaking = (_ schema: Schema, _ use: (any Store) throws -> Void) throws -> Void

extension SchemaMigration {
    /// The schema on which the code of the steps runs, if it differs from ``target``.
    var draft: Schema? {
        guard steps.contains(where: \.runsOnStore) else { return nil }
        let match = SchemaMatch(stored, target)
        // A removed item may have a name that conflicts with the new names.
        for schema in [loosened(match, keepsRemoved: true), loosened(match, keepsRemoved: false)] {
            guard (try? schema.validate()) != nil else { continue }
            return schema.fingerprint == target.fingerprint ? nil : schema
        }
        return nil
    }

    /// The target without the uniqueness, the required values and the checked references that the store does not have
    /// yet, and with the entities and attributes that only the store has.
    private func loosened(_ match: SchemaMatch, keepsRemoved: Bool) -> Schema {
        var entities = target.entities
        for (number, position) in match.entities.enumerated() {
            guard let position, entities[number].linkedRelationship == nil else { continue }
            let old = stored.entities[position]
            let places = match.attributes[number]
            for (place, stored) in places.enumerated() where mayBeNil(entities[number], place, stored, old) {
                entities[number].attributes[place].isOptional = true
            }
            for (place, position) in places.enumerated() {
                let checks = position.map { old.attributes[$0].reference }
                // Code may still have to clean up references without a record.
                guard let checks, (checks?.onDelete ?? .noAction) == .noAction else { continue }
                entities[number].attributes[place].reference?.onDelete = .noAction
            }
            entities[number].indexes = indexes(of: entities[number], places, old)
            guard keepsRemoved else { continue }
            let kept = Set(places.compactMap(\.self))
            for (place, attribute) in old.attributes.enumerated() where !kept.contains(place) {
                entities[number].keep(attribute, referringTo: newName(attribute.reference?.entity, match))
            }
        }
        guard keepsRemoved else { return target.replacing(entities) }
        let kept = Set(match.entities.compactMap(\.self))
        for (position, entity) in stored.entities.enumerated()
        where !kept.contains(position) && entity.linkedRelationship == nil {
            var entity = entity
            entity.relationships = []
            for place in entity.attributes.indices {
                guard let reference = entity.attributes[place].reference else { continue }
                entity.attributes[place].loosen(referringTo: newName(reference.entity, match))
            }
            entities.append(entity)
        }
        return target.replacing(entities).forNewStore
    }

    /// Whether code may still have to give a required attribute its values.
    private func mayBeNil(_ entity: Entity, _ place: Int, _ position: Int?, _ old: Entity) -> Bool {
        let attribute = entity.attributes[place]
        guard !attribute.isOptional, place != entity.keyPosition, place != entity.versionPosition else { return false }
        return position.map { old.attributes[$0].isOptional } ?? (attribute.defaultValue ?? .null == .null)
    }

    /// The indexes of an entity. Only those that are unique in the store are unique here.
    private func indexes(of entity: Entity, _ places: [Int?], _ old: Entity) -> [Index] {
        let names = Dictionary(
            zip(entity.attributes, places).map { ($0.name, $1.map { old.attributes[$0].name }) },
            uniquingKeysWith: { first, _ in first })
        var indexes: [Index] = []
        for index in entity.indexes {
            var index = index
            let stored = index.attributes.compactMap { names[$0] ?? nil }
            index.isUnique =
                index.isUnique
                && old.indexes.contains(Index(attributes: stored, isUnique: true, folding: index.folding))
            if !indexes.contains(index) { indexes.append(index) }
        }
        return indexes
    }

    /// The name that a stored entity has in the draft.
    private func newName(_ stored: String?, _ match: SchemaMatch) -> String? {
        guard let stored, let position = self.stored.entities.firstIndex(where: { $0.name == stored }) else {
            return nil
        }
        return match.entities.firstIndex(of: position).map { target.entities[$0].name } ?? stored
    }

    /// Fills the new files of a store, by way of a draft if code needs one: see ``fill(_:from:adjusting:)``.
    package func fill(_ new: any Store, from old: any Store, making draft: DraftMaking) throws {
        guard let schema = self.draft else { return try fill(new, from: old) }
        let work = LongWork.current
        let count = try work.map { _ in try SchemaMigration.count(old) } ?? 0
        try draft(schema) { middle in
            let first = SchemaMigration(part: stored, schema, steps)
            try (work?.part(after: 0, before: count) ?? LongWork()).run { try first.fill(middle, from: old) }
            let last = SchemaMigration(part: schema, target, [])
            try (work?.part(after: count, before: 0) ?? LongWork()).run { try last.fill(new, from: middle) }
        }
    }

    private static func count(_ store: any Store) throws -> Int {
        let reader = try store.beginRead(CancellationFlag())
        defer { reader.end() }
        return try reader.recordCount()
    }
}

extension Entity {
    /// Adds an attribute that the program no longer has, unless its name is taken.
    fileprivate mutating func keep(_ attribute: Attribute, referringTo target: String?) {
        let names = attributes.map(\.name) + relationships.map(\.name)
        guard !names.contains(where: { $0.lowercased() == attribute.name.lowercased() }) else { return }
        var attribute = attribute
        attribute.isOptional = true
        attribute.defaultValue = nil
        attribute.loosen(referringTo: target)
        attributes.append(attribute)
        if attribute.reference != nil { indexes.append(Index(attributes: [attribute.name])) }
    }
}

extension Attribute {
    /// A reference that is removed denies nothing, and deletes nothing. If it may dangle in the store, it may also
    /// dangle here.
    fileprivate mutating func loosen(referringTo target: String?) {
        guard let target, let rule = reference?.onDelete else { return }
        isOptional = true
        reference = Reference(entity: target, onDelete: rule == .noAction ? .noAction : .nullify)
    }
}
