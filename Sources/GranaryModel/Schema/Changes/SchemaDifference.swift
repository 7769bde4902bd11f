/// The difference between the schema of a store and that of a program, as a value.
///
/// ```swift
/// let difference = SchemaDifference(from: stored, to: schema)
/// print(difference)          // Artist.rating: double? is added (instant)
/// print(difference.cost)     // instant
/// ```
///
/// It is empty exactly if the fingerprints are equal and the to-many relationships are the same. An error with the code
/// `schemaMismatch` carries it, as `schemaDifference`.
public struct SchemaDifference: Sendable, Hashable, Codable {
    /// Entities in the order of the program's schema, followed by removed ones. For each entity first the entity
    /// itself, then its key, attributes, indexes and to-many relationships.
    public private(set) var changes: [SchemaChange]

    public init(from stored: Schema, to program: Schema) {
        changes = []
        let match = SchemaMatch(stored, program)
        let names = Dictionary(
            zip(program.entities, match.entities).compactMap { entity, position in
                position.map { (stored.entities[$0].name, entity.name) }
            }, uniquingKeysWith: { first, _ in first })
        let relationships = RelationshipComparison(stored: stored, program: program, match: match)
        for (number, entity) in program.entities.enumerated() {
            guard let position = match.entities[number] else {
                changes.append(
                    entity.ifLinks {
                        .relationshipAdded(entity: $0, relationship: $1)
                    } else: {
                        .entityAdded($0)
                    })
                continue
            }
            let old = stored.entities[position]
            let comparison = EntityComparison(old, entity, match.attributes[number], entityNames: names)
            changes += entity.linkedRelationship == nil ? comparison.changes : comparison.changesOfLinks
            changes += relationships.changes(of: number, from: position)
        }
        let kept = Set(match.entities.compactMap(\.self))
        for (position, entity) in stored.entities.enumerated() where !kept.contains(position) {
            changes.append(
                entity.ifLinks {
                    .relationshipRemoved(entity: $0, relationship: $1)
                } else: {
                    .entityRemoved($0)
                })
        }
        joinReferencesAndLinks(match, stored, program)
    }

    /// Combines the changes of a reference that becomes links, or of links that become a reference, into one change.
    private mutating func joinReferencesAndLinks(_ match: SchemaMatch, _ stored: Schema, _ program: Schema) {
        for (number, place) in match.linksFromReferences(stored, program) {
            guard let link = program.entities[number].linkedRelationship else { continue }
            let attribute = stored.entities[place.entity].attributes[place.attribute]
            changes.removeAll { $0 == .attributeRemoved(entity: link.owner, attribute) }
            replace(
                .relationshipAdded(entity: link.owner, relationship: link.name),
                with: .referenceBecameLinks(entity: link.owner, relationship: link.name, from: attribute.name))
        }
        for (place, number) in match.referencesFromLinks(stored, program) {
            guard let link = stored.entities[number].linkedRelationship else { continue }
            let owner = program.entities[place.entity]
            changes.removeAll { $0 == .relationshipRemoved(entity: link.owner, relationship: link.name) }
            replace(
                .attributeAdded(entity: owner.name, owner.attributes[place.attribute]),
                with: .linksBecameReference(
                    entity: owner.name, attribute: owner.attributes[place.attribute].name, from: link.name))
        }
    }

    private mutating func replace(_ old: SchemaChange, with new: SchemaChange) {
        for index in changes.indices where changes[index] == old { changes[index] = new }
    }

    /// Whether the two schemas have the same meaning, and declare the same to-many relationships.
    public var isEmpty: Bool { changes.isEmpty }

    /// The greatest cost of the changes; nil without changes.
    public var cost: SchemaChange.Cost? { changes.map(\.cost).max() }
}

extension SchemaDifference: CustomStringConvertible {
    /// One line for each change, with its cost.
    public var description: String { changes.map { "\($0) (\($0.cost.rawValue))" }.joined(separator: "\n") }
}

extension Entity {
    fileprivate func ifLinks(
        _ links: (_ owner: String, _ name: String) -> SchemaChange, else other: (String) -> SchemaChange
    ) -> SchemaChange {
        linkedRelationship.map { links($0.owner, $0.name) } ?? other(name)
    }
}

/// The stored and the declared form of one entity.
private struct EntityComparison {
    let old: Entity
    let new: Entity
    /// For each new attribute, the position of the stored one.
    let positions: [Int?]
    /// The program's names of entities, by stored names.
    let entityNames: [String: String]
    /// The program's names of attributes, by stored names.
    let names: [String: String]

    init(_ old: Entity, _ new: Entity, _ positions: [Int?], entityNames: [String: String]) {
        (self.old, self.new, self.positions, self.entityNames) = (old, new, positions, entityNames)
        names = Dictionary(
            zip(new.attributes, positions).compactMap { attribute, position in
                position.map { (old.attributes[$0].name, attribute.name) }
            }, uniquingKeysWith: { first, _ in first })
    }

    private func newName(_ attribute: String) -> String { names[attribute] ?? attribute }

    private func target(_ reference: Attribute.Reference) -> String {
        entityNames[reference.entity] ?? reference.entity
    }

    var changes: [SchemaChange] {
        var changes: [SchemaChange] = []
        let entity = new.name
        if old.name != entity { changes.append(.entityRenamed(entity, from: old.name)) }
        if newName(old.key) != new.key { changes.append(.keyChanged(entity: entity, from: old.key, to: new.key)) }
        if old.keyGeneration != new.keyGeneration {
            changes.append(.keyGenerationChanged(entity: entity, from: old.keyGeneration, to: new.keyGeneration))
        }
        if old.version.map(newName) != new.version {
            changes.append(.versionChanged(entity: entity, from: old.version, to: new.version))
        }
        if old.words != new.words {
            changes.append(.wordRulesChanged(entity: entity, from: old.words, to: new.words))
        }
        for (attribute, position) in zip(new.attributes, positions) {
            guard let position else {
                changes.append(.attributeAdded(entity: entity, attribute))
                continue
            }
            changes += compare(old.attributes[position], attribute)
        }
        let kept = Set(positions.compactMap(\.self))
        for (position, attribute) in old.attributes.enumerated() where !kept.contains(position) {
            changes.append(.attributeRemoved(entity: entity, attribute))
        }
        return changes + changesOfIndexes
    }

    private func compare(_ old: Attribute, _ new: Attribute) -> [SchemaChange] {
        var changes: [SchemaChange] = []
        let (entity, name) = (self.new.name, new.name)
        if old.name != name { changes.append(.attributeRenamed(entity: entity, attribute: name, from: old.name)) }
        if old.type != new.type {
            changes.append(.typeChanged(entity: entity, attribute: name, from: old.type, to: new.type))
        }
        if old.isOptional != new.isOptional {
            changes.append(.optionalityChanged(entity: entity, attribute: name, isOptional: new.isOptional))
        }
        if old.givenDefault != new.givenDefault {
            changes.append(
                .defaultChanged(entity: entity, attribute: name, from: old.givenDefault, to: new.givenDefault))
        }
        if old.isExternal != new.isExternal {
            changes.append(.externalChanged(entity: entity, attribute: name, isExternal: new.isExternal))
        }
        if old.searchWeight != new.searchWeight {
            changes.append(.searchChanged(entity: entity, attribute: name, weight: new.searchWeight))
        }
        if old.searchGroup != new.searchGroup, new.searchWeight != nil {
            changes.append(.searchGroupChanged(entity: entity, attribute: name, group: new.searchGroup))
        }
        if old.renamedValues != new.renamedValues {
            changes.append(
                .valuesRenamed(entity: entity, attribute: name, from: old.renamedValues, to: new.renamedValues))
        }
        switch (old.reference, new.reference) {
        case (nil, nil): break
        case (nil, let new?): changes.append(.referenceAdded(entity: entity, attribute: name, target: new.entity))
        case (let old?, nil): changes.append(.referenceRemoved(entity: entity, attribute: name, target: old.entity))
        case (let old?, let new?) where old.isOutside && !new.isOutside:
            changes.append(.referenceAdded(entity: entity, attribute: name, target: new.entity))
        case (let old?, let new?) where new.isOutside && !old.isOutside:
            changes.append(.referenceRemoved(entity: entity, attribute: name, target: old.entity))
        case (let old?, let new?):
            if target(old) != new.entity, !new.earlierNames.contains(old.entity) {
                changes.append(.targetChanged(entity: entity, attribute: name, from: old.entity, to: new.entity))
            }
            if old.onDelete != new.onDelete {
                changes.append(
                    .deleteRuleChanged(entity: entity, attribute: name, from: old.onDelete, to: new.onDelete))
            }
        }
        return changes
    }

    private var changesOfIndexes: [SchemaChange] {
        let stored = old.indexes.map { index in
            Index(attributes: index.attributes.map(newName), isUnique: index.isUnique, folding: index.folding)
        }
        var removed = stored.filter { !new.indexes.contains($0) }
        var changes: [SchemaChange] = []
        for index in new.indexes where !stored.contains(index) {
            let (entity, like) = (new.name, removed.filter { $0.attributes == index.attributes })
            if let other = like.first(where: { $0.folding == index.folding }) {
                changes.append(.uniquenessChanged(entity: entity, index))
                removed.removeAll { $0 == other }
            } else if let other = like.first(where: { $0.isUnique == index.isUnique }) {
                changes.append(.foldingChanged(entity: entity, from: other, to: index))
                removed.removeAll { $0 == other }
            } else {
                changes.append(.indexAdded(entity: entity, index))
            }
        }
        return changes + removed.map { .indexRemoved(entity: new.name, $0) }
    }

    /// The changes of an entity. For a link entity they are expressed as changes of its many-to-many relationship.
    var changesOfLinks: [SchemaChange] {
        guard let link = new.linkedRelationship else { return changes }
        let (entity, name) = (link.owner, link.name)
        var told: [SchemaChange] = []
        for change in changes {
            switch change {
            // A new name of the owner is a separate change.
            case .entityRenamed:
                guard let old = old.linkedRelationship, old.name != name else { break }
                told.append(.relationshipRenamed(entity: entity, relationship: name, from: old.name))
            case .targetChanged(_, _, let old, let new):
                told.append(.relationshipTargetChanged(entity: entity, relationship: name, from: old, to: new))
            case .deleteRuleChanged(_, _, let old, let new):
                told.append(.relationshipRuleChanged(entity: entity, relationship: name, from: old, to: new))
            case .attributeAdded(_, let attribute) where attribute.name == Relationship.position:
                told.append(.relationshipOrderChanged(entity: entity, relationship: name, isOrdered: true))
            case .attributeRemoved(_, let attribute) where attribute.name == Relationship.position:
                told.append(.relationshipOrderChanged(entity: entity, relationship: name, isOrdered: false))
            case .indexAdded(_, let index), .indexRemoved(_, let index):
                // The index over the order is added and removed together with it.
                if !index.attributes.contains(Relationship.position) { told.append(change) }
            default: told.append(change)
            }
        }
        return told
    }
}

extension Attribute {
    /// The default. A default of nil is the same as no default.
    fileprivate var givenDefault: StoredValue? { defaultValue == .null ? nil : defaultValue }
}
