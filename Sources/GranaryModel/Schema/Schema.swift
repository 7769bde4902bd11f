/// The entities that a store keeps: a value that can be compared, printed and encoded.
///
/// ```swift
/// let schema = Schema(Artist.self, Song.self, Genre.self)
/// print(schema)                 // one line for each attribute
/// print(schema.fingerprint)     // 32 hexadecimal digits, the same for the same meaning
/// ```
///
/// Entities and attributes have numbers that a store keeps for ever, so that it can recognise a renaming. In a new
/// schema they follow the order of declaration; an existing store gives its own numbers to items with the same names.
public struct Schema: Sendable, Hashable {
    /// The entities in the given order.
    public private(set) var entities: [Entity] { didSet { conclusions = Uncompared(Conclusions()) } }
    /// The record types that the schema was made from; empty for a schema without Swift types.
    public var recordTypes: [any Record.Type] { types.value }
    private var types = Uncompared<[any Record.Type]>([])
    private var steps = Uncompared<[AppliedStep]>([])
    private var lastNumber = Uncompared(0)
    private var origin = Uncompared<SeedIdentity?>(nil)
    private var conclusions = Uncompared(Conclusions())

    /// The steps of migration plans that the store has applied, in order. Stored, but ignored when schemas are
    /// compared.
    package var appliedSteps: [AppliedStep] {
        get { steps.value }
        set { steps.value = newValue }
    }

    /// The seed that the store was made from. Stored like `appliedSteps`.
    package var seed: SeedIdentity? {
        get { origin.value }
        set { origin.value = newValue }
    }

    /// The greatest number that an entity ever had, including removed ones. Stored like `appliedSteps`.
    package var lastEntityID: Int {
        get { max(lastNumber.value, entities.map(\.id).max() ?? 0) }
        set { lastNumber.value = newValue }
    }

    /// Results computed for these entities, shared with copies of this value.
    var known: Conclusions { conclusions.value }

    /// The schema of these record types.
    public init(_ types: any Record.Type...) { self.init(types) }

    /// The schema of these record types.
    ///
    /// A to-many relationship with a delete rule gives the rule to its inverse reference, which must not have another
    /// rule itself. A many-to-many relationship adds its link entity.
    public init(_ types: [any Record.Type]) {
        self.init(entities: Schema.entities(of: types))
        self.types = Uncompared(types)
    }

    /// A schema without Swift types. Each attribute that refers to an entity, and no other attribute, gets an index of
    /// its own if no index begins with it.
    public init(entities: [Entity]) {
        self.entities = entities
        for (position, entity) in entities.enumerated() {
            var entity = entity
            if entity.id == 0 { entity.id = position + 1 }
            for attribute in entity.attributes.indices where entity.attributes[attribute].id == 0 {
                entity.attributes[attribute].id = attribute + 1
            }
            // Records never hold -0.0, which equals 0.0: see ``AttributeType``.
            for attribute in entity.attributes.indices where entity.attributes[attribute].defaultValue == .real(0) {
                entity.attributes[attribute].defaultValue = .real(0)
            }
            for attribute in entity.attributes where attribute.reference != nil {
                if !entity.indexes.contains(where: { $0.attributes.first == attribute.name && $0.folding.isEmpty }) {
                    entity.indexes.append(Index(attributes: [attribute.name]))
                }
            }
            self.entities[position] = entity
        }
    }

    /// A schema with the entities and the record types of both: for a program whose parts have their own record types.
    ///
    /// ```swift
    /// let schema = Catalogue.schema.union(Schema(Order.self, Customer.self))
    /// ```
    ///
    /// An entity that is the same in both is included once. Two different entities with the same name are both
    /// included, and opening a store throws `invalidSchema`.
    public func union(_ other: Schema) -> Schema {
        let own = entities.map(\.withoutNumbers)
        var union = Schema(entities: own + other.entities.map(\.withoutNumbers).filter { !own.contains($0) })
        let known = recordTypes.map { ObjectIdentifier($0) }
        union.types = Uncompared(recordTypes + other.recordTypes.filter { !known.contains(ObjectIdentifier($0)) })
        return union
    }

    /// This schema with a many-to-many relationship between two of its entities, for a schema without Swift types. With
    /// types, declare it by ``ManyToMany``.
    ///
    /// ```swift
    /// let schema = Schema(entities: [playlist, track])
    ///     .linking("Playlist", "tracks", to: "Track", inverse: "playlists", ordered: true)
    /// ```
    ///
    /// If the schema does not have one of the entities, opening a store throws `invalidSchema`.
    ///
    /// - Parameters:
    ///   - owner: The entity that owns the links.
    ///   - name: The owner's relationship.
    ///   - target: The entity on the other side.
    ///   - inverse: The relationship of the other side; nil if it has none.
    ///   - ordered: Whether each owner's links have an order of their own.
    ///   - onDelete: What happens when an owner is deleted. A record on the other side can always be deleted, together
    ///     with its links.
    public func linking(
        _ owner: String, _ name: String, to target: String, inverse: String? = nil, ordered: Bool = false,
        onDelete: LinkDeleteRule = .nullify
    ) -> Schema {
        let relationship = Relationship.linked(name, of: owner, isOrdered: ordered)
        func end(_ name: String) -> (name: String, key: AttributeType) {
            let entity = entities.first { $0.name == name }
            let key = entity.flatMap { entity in entity.attributes.first { $0.name == entity.key } }
            return (name, key?.type ?? .int64)
        }
        let link = Entity.link(relationship, from: end(owner), to: end(target), onDelete: onDelete)
        var linked = entities.map(\.withoutNumbers)
        for position in linked.indices {
            if linked[position].name == owner { linked[position].relationships.append(relationship) }
            if let inverse, linked[position].name == target {
                linked[position].relationships.append(.inverse(inverse, of: name, ownedBy: owner))
            }
        }
        var schema = Schema(entities: linked + [link.withoutNumbers])
        schema.types = types
        return schema
    }

    /// The position of an entity.
    ///
    /// - Throws: `unknownEntity`, with the list of entities.
    public func position(ofEntity name: String) throws -> Int {
        if let position = entities.firstIndex(where: { $0.name.hasSameBytes(as: name) }) { return position }
        let known = entities.filter { $0.linkedRelationship == nil }.map(\.name).joined(separator: ", ")
        throw GranaryError(
            .unknownEntity,
            "The schema has no entity \"\(name)\". It has: \(known). Check the name, or add the type to Schema(...).",
            entity: name)
    }

    /// This schema with the numbers that a stored schema gives to the same entities and attributes, whatever their
    /// current names are. New ones get numbers that the stored schema has never given.
    package func adoptingIDs(from stored: Schema) -> Schema {
        var schema = self
        (schema.appliedSteps, schema.seed) = (stored.appliedSteps, stored.seed)
        var entities = entities
        let match = SchemaMatch(stored, self)
        var lastEntity = stored.lastEntityID
        for (position, matching) in match.entities.enumerated() {
            guard let matching else {
                lastEntity += 1
                entities[position].id = lastEntity
                continue
            }
            let old = stored.entities[matching]
            entities[position].id = old.id
            var last = old.lastAttributeID
            for (index, matching) in match.attributes[position].enumerated() {
                if let matching {
                    entities[position].attributes[index].id = old.attributes[matching].id
                    entities[position].attributes[index].addition = old.attributes[matching].addition
                } else {
                    last += 1
                    entities[position].attributes[index].id = last
                    entities[position].attributes[index].addition = Attribute.Addition(
                        count: old.attributes.count,
                        value: entities[position].attributes[index].defaultValue ?? .null)
                }
            }
            entities[position].lastAttributeID = last
        }
        schema.renumber(entities)
        schema.lastEntityID = lastEntity
        return schema
    }

    /// Replaces the entities by others with the same meaning.
    private mutating func renumber(_ entities: [Entity]) {
        let known = conclusions
        self.entities = entities
        conclusions = known
    }

    /// This schema with other entities.
    package func replacing(_ entities: [Entity]) -> Schema {
        var schema = self
        schema.entities = entities
        return schema
    }

    /// The schema of a part of a stack: some of the entities. A reference to another entity is outside of the part, and a
    /// relationship whose records are in another part is not known there.
    package func part(with names: Set<String>) -> Schema {
        let chosen = entities.filter { names.contains($0.name) }.map { entity in
            var entity = entity
            entity.id = 0
            entity.relationships.removeAll { !names.contains($0.entity) }
            for position in entity.attributes.indices {
                guard let target = entity.attributes[position].reference?.entity, !names.contains(target) else {
                    continue
                }
                entity.attributes[position].reference?.isOutside = true
                entity.attributes[position].reference?.earlierNames =
                    entities.first { $0.name == target }?.renamedFrom ?? []
            }
            return entity
        }
        return Schema(entities: chosen)
    }

    /// This schema with the attributes of each entity in the order of a store, which may keep values by position: the
    /// store's attributes first, in its order, then new ones.
    package func inOrder(of stored: Schema) -> Schema {
        var (schema, entities) = (self, entities)
        for position in entities.indices {
            let entity = stored.entities.first { $0.id == entities[position].id }
            let places = Dictionary(
                (entity?.attributes ?? []).enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
            entities[position].attributes.sort {
                (places[$0.id] ?? .max, $0.id) < (places[$1.id] ?? .max, $1.id)
            }
        }
        schema.renumber(entities)
        return schema
    }

    /// This schema in the form that a store keeps: without earlier names, which only the program declares.
    var withoutEarlierNames: Schema {
        var (schema, entities) = (self, entities)
        for entity in entities.indices {
            entities[entity] = entities[entity].renamed(fromAll: [])
            for attribute in entities[entity].attributes.indices {
                entities[entity].attributes[attribute] = entities[entity].attributes[attribute].renamed(fromAll: [])
            }
            entities[entity].relationships = entities[entity].relationships.map { $0.renamed(fromAll: []) }
        }
        schema.renumber(entities)
        return schema
    }

    /// This schema in the form for a new store: it has no records from before an attribute was added.
    package var forNewStore: Schema {
        var (schema, entities) = (self, entities)
        for entity in entities.indices {
            for attribute in entities[entity].attributes.indices {
                entities[entity].attributes[attribute].addition = nil
            }
        }
        schema.renumber(entities)
        return schema
    }
}

extension Schema: CustomStringConvertible {
    /// One line for each entity, attribute and index.
    public var description: String {
        entities.map(\.description).joined(separator: "\n")
    }
}

extension Entity: CustomStringConvertible {
    public var description: String {
        var lines = ["entity \(name)"]
        if words != WordRules() { lines.append("    words by \(words)") }
        for attribute in attributes {
            var line = "    \(attribute)"
            if attribute.name == key { line += keyGeneration == .assigned ? " key, assigned" : " key" }
            lines.append(line)
        }
        for index in indexes {
            lines.append(
                "    \(index.isUnique ? "unique" : "index")\(index.folding) (\(index.attributes.joined(separator: ", ")))"
            )
        }
        return lines.joined(separator: "\n")
    }
}

extension Attribute: CustomStringConvertible {
    public var description: String {
        var text = "\(name): \(type)\(isOptional ? "?" : "")"
        if isExternal { text += ", external" }
        if let searchWeight {
            text +=
                ", searchable" + (searchGroup.map { " in \($0)" } ?? "")
                + (searchWeight == 1 ? "" : " with weight \(searchWeight)")
        }
        if let defaultValue, defaultValue != .null { text += " = \(defaultValue)" }
        if !renamedValues.isEmpty {
            text += ", renaming \(renamedValues.map(\.description).joined(separator: ", "))"
        }
        if let reference { text += " -> \(reference.entity), on delete \(reference.onDelete)" }
        if reference?.isOutside ?? false { text += ", in another part" }
        return text
    }
}

extension Entity {
    /// The entity as it is before a schema numbers it.
    fileprivate var withoutNumbers: Entity {
        var entity = self
        entity.id = 0
        for position in entity.attributes.indices { entity.attributes[position].id = 0 }
        return entity
    }
}
