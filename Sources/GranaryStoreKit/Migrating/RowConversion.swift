// A migration that rewrites records reads each row of the old store once and makes of it a row of the new one, or none. What
// becomes of an attribute is decided once for each entity, as a list of sources in the order of the new attributes. Most are
// cells that are copied as they are; the bytes of a converted one are kept until the next row.
//
// A reference has the type of the key it names, and both go through the same conversion: so references follow keys that get
// another type. Where another attribute becomes the key, the record that a reference names is looked up in the old store.

/// Converts the rows of a store to another schema.
final class RowConversion {
    private let migration: SchemaMigration
    /// By the position of the stored entity; nil where nothing of it is kept.
    private let entities: [EntityConversion?]
    private let source: MigrationSource
    private var cells: ContiguousArray<Cell> = []
    private var kept: [HeldCell] = []
    /// The keys of links that are made of references, by the position of their entity.
    private var lastLinks: [Int: Int64] = [:]

    /// - Parameter source: The old store, open for look-ups while rows are read.
    init(_ migration: SchemaMigration, _ source: MigrationSource) {
        self.migration = migration
        self.source = source
        let match = SchemaMatch(migration.stored, migration.target)
        var entities: [EntityConversion?] = migration.stored.entities.map { _ in nil }
        for (number, position) in match.entities.enumerated() {
            guard let position else { continue }
            entities[position] = EntityConversion(number, from: position, match, migration)
        }
        for (number, place) in match.linksFromReferences(migration.stored, migration.target) {
            entities[place.entity]?.links.append(LinkMaking(number, from: place, match, migration))
        }
        self.entities = entities
        let width = migration.target.entities.map(\.attributes.count).max() ?? 0
        cells = ContiguousArray(repeating: .null, count: width)
        kept = (0..<width).map { _ in HeldCell() }
    }

    /// Appends what becomes of a row.
    func convert(_ row: borrowing Row, _ entity: Int, _ output: StoreTransfer.Output) throws {
        guard let conversion = entities[entity] else { return }
        for position in conversion.sources.indices {
            cells[position] = try cell(at: position, conversion, row)
        }
        let count = conversion.sources.count
        if conversion.steps.isEmpty {
            for position in conversion.required where cells[position].isNull {
                throw conversion.missing(position, row)
            }
            try append(count, to: conversion.number, output)
        } else {
            try runSteps(conversion, row, output)
        }
        for link in conversion.links { try append(link, conversion, row, output) }
    }

    private func append(_ count: Int, to entity: Int, _ output: StoreTransfer.Output) throws {
        try cells.withUnsafeBufferPointer { cells in
            guard let start = cells.baseAddress else { return }
            try output.append(Row(cells: start, count: count), to: entity)
        }
    }

    private func cell(at position: Int, _ conversion: EntityConversion, _ row: borrowing Row) throws -> Cell {
        try cell(conversion.sources[position], at: position, conversion, row)
    }

    private func cell(
        _ source: AttributeSource, at position: Int, _ conversion: EntityConversion, _ row: borrowing Row
    ) throws -> Cell {
        switch source {
        case .renamed(let values, let source):
            let cell = try cell(source, at: position, conversion, row)
            guard let value = values[StoredValue(cell)] else { return cell }
            return kept[position].keep(value)
        case .cell(let old, let fallback):
            let cell = row[old]
            guard cell.isNull, let fallback else { return cell }
            return kept[position].keep(fallback)
        case .constant(let value): return kept[position].keep(value)
        case .converted(let old, let rule, let fallback):
            if row[old].isNull, let fallback { return kept[position].keep(fallback) }
            guard let value = rule.converted(row[old]) else { throw conversion.losing(position, row) }
            return kept[position].keep(value)
        case .follow(let old, let target, let key, let rule):
            if row[old].isNull { return .null }
            guard let found = try self.source.value(at: key, ofKey: row[old], in: target),
                let value = found.withCell(rule.converted)
            else { throw conversion.losing(position, row) }
            return kept[position].keep(value)
        case .links(let links, let near, let far, let rule):
            let targets = try self.source.values(
                at: far, where: near, equals: StoredValue(row[conversion.oldKey]), in: links, limit: 2)
            guard let target = targets.first else { return .null }
            guard targets.count == 1, let value = target.withCell(rule.converted) else {
                throw conversion.losing(position, row)
            }
            return kept[position].keep(value)
        }
    }

    private func runSteps(_ conversion: EntityConversion, _ row: borrowing Row, _ output: StoreTransfer.Output) throws {
        let old = DynamicRecord(conversion.old, row: row)
        var new = DynamicRecord(
            conversion.entity, conversion.sources.indices.map { StoredValue(cells[$0]) })
        for step in conversion.steps {
            do {
                try step.convert(old, &new, source)
            } catch {
                throw MigrationStep.failed(step.name, error, conversion.entity, old.key)
            }
        }
        for position in conversion.required where new.values[position] == .null {
            throw conversion.missing(position, row)
        }
        try output.append(new.values, to: conversion.number)
    }

    private func append(
        _ link: LinkMaking, _ conversion: EntityConversion, _ row: borrowing Row, _ output: StoreTransfer.Output
    ) throws {
        guard !row[link.reference].isNull else { return }
        guard let target = link.target?.converted(row[link.reference]) else {
            throw conversion.losing(conversion.entity.keyPosition, row)
        }
        let number = lastLinks[link.entity, default: 0] + 1
        lastLinks[link.entity] = number
        var values = [StoredValue](repeating: .integer(number), count: link.count)
        values[link.near] = StoredValue(cells[conversion.entity.keyPosition])
        values[link.far] = target
        try output.append(values, to: link.entity)
    }
}

/// Where the value of a new attribute comes from.
indirect enum AttributeSource {
    /// The cell at a position; a value in the place of nil.
    case cell(Int, orNil: StoredValue?)
    case constant(StoredValue)
    case converted(Int, ValueConversion, orNil: StoredValue?)
    /// An attribute of the record that the reference names, which is its key now.
    case follow(Int, target: Int, key: Int, ValueConversion)
    /// Another source, of whose values some are exchanged.
    case renamed([StoredValue: StoredValue], AttributeSource)
    /// The other end of the record's one link.
    case links(Int, near: Int, far: Int, ValueConversion)
}

/// What becomes of the rows of one entity.
struct EntityConversion {
    /// The position of the new entity.
    let number: Int
    let entity: Entity
    let old: Entity
    let oldKey: Int
    /// By the position of the new attribute.
    private(set) var sources: [AttributeSource] = []
    let steps: [(name: String, convert: MigrationStep.RecordConversion)]
    /// The positions of new attributes that must not be nil and might be.
    private(set) var required: [Int] = []
    var links: [LinkMaking] = []

    init(_ number: Int, from position: Int, _ match: SchemaMatch, _ migration: SchemaMigration) {
        self.number = number
        entity = migration.target.entities[number]
        old = migration.stored.entities[position]
        oldKey = old.keyPosition
        let name = entity.name
        steps = migration.steps.compactMap { step in step.converts(name).map { (step.name, $0) } }
        let links = match.referencesFromLinks(migration.stored, migration.target)
        for (place, attribute) in entity.attributes.enumerated() {
            let given = attribute.defaultValue ?? .null
            var source = AttributeSource.constant(given)
            if let oldPlace = match.attributes[number][place] {
                source = EntityConversion.source(
                    attribute, old.attributes[oldPlace], oldPlace, entity, match, migration)
                let renamed = attribute.renamedValues.filter { !old.attributes[oldPlace].renamedValues.contains($0) }
                if !renamed.isEmpty {
                    let values = Dictionary(renamed.map { ($0.old, $0.new) }, uniquingKeysWith: { first, _ in first })
                    source = .renamed(values, source)
                }
            } else if let number = links[AttributePlace(entity: number, attribute: place)] {
                source = EntityConversion.links(attribute, migration.stored.entities[number], number) ?? source
            } else if attribute.name == Relationship.position, entity.linkedRelationship != nil {
                // Links that get an order are in that in which they were made.
                source = .cell(oldKey, orNil: nil)
            }
            sources.append(source)
            if !attribute.isOptional { required.append(place) }
        }
    }

    private static func source(
        _ new: Attribute, _ old: Attribute, _ place: Int, _ entity: Entity, _ match: SchemaMatch,
        _ migration: SchemaMigration
    ) -> AttributeSource {
        let given = new.defaultValue ?? .null
        let fallback = new.isOptional || given == .null ? nil : given
        if let followed = following(new, old, place, match, migration) { return followed }
        guard let rule = ValueConversion(from: old.type, to: new.type),
            !(old.type != new.type && migration.isDropped(entity.name, new.name))
        else { return .constant(given) }
        if rule.keepsCells { return .cell(place, orNil: old.isOptional ? fallback : nil) }
        return .converted(place, rule, orNil: fallback)
    }

    /// A reference to records of which another attribute is the key now.
    private static func following(
        _ new: Attribute, _ old: Attribute, _ place: Int, _ match: SchemaMatch, _ migration: SchemaMigration
    ) -> AttributeSource? {
        guard let reference = new.reference, old.reference != nil,
            let target = migration.target.entities.firstIndex(where: { $0.name == reference.entity }),
            let oldTarget = match.entities[target],
            let key = match.attributes[target][migration.target.entities[target].keyPosition],
            key != migration.stored.entities[oldTarget].keyPosition,
            let rule = ValueConversion(from: migration.stored.entities[oldTarget].attributes[key].type, to: new.type)
        else { return nil }
        return .follow(place, target: oldTarget, key: key, rule)
    }

    private static func links(_ attribute: Attribute, _ links: Entity, _ number: Int) -> AttributeSource? {
        guard let near = links.attributes.firstIndex(where: { $0.name == Relationship.source }),
            let far = links.attributes.firstIndex(where: { $0.name == Relationship.target }),
            let rule = ValueConversion(from: links.attributes[far].type, to: attribute.type)
        else { return nil }
        return .links(number, near: near, far: far, rule)
    }

    /// The error for a value that the new type does not have.
    func losing(_ position: Int, _ row: borrowing Row) -> GranaryError {
        let attribute = entity.attributes[position]
        let why =
            switch sources[position] {
            case .links: "has several links, and a reference names one record"
            default: "has a value of \(self.entity.path(of: attribute.name)) that no \(attribute.type) is the same as"
            }
        return error(
            .range,
            "A record of \(entity.path) \(why). Change the record with the old schema, or convert \(entity.path(of: attribute.name)) in a step of a migration plan.",
            attribute, row)
    }

    /// The error for a required attribute without a value.
    func missing(_ position: Int, _ row: borrowing Row) -> GranaryError {
        let attribute = entity.attributes[position]
        return error(
            .required,
            "\(entity.path(of: attribute.name)) is required now, and a record has no value for it. Give the attribute a default, or the record a value in a step of a migration plan.",
            attribute, row)
    }

    private func error(
        _ code: GranaryError.Code, _ message: String, _ attribute: Attribute, _ row: borrowing Row
    ) -> GranaryError {
        var error = GranaryError(code, message, about: entity, [attribute.name])
        error.key = StoredValue(row[oldKey])
        return error
    }
}

/// Links that are made of a reference.
struct LinkMaking {
    /// The position of the new entity of links.
    let entity: Int
    let count: Int
    let near: Int
    let far: Int
    /// The position of the reference in the stored entity.
    let reference: Int
    let target: ValueConversion?

    init(_ number: Int, from place: AttributePlace, _ match: SchemaMatch, _ migration: SchemaMigration) {
        let links = migration.target.entities[number]
        let old = migration.stored.entities[place.entity]
        entity = number
        count = links.attributes.count
        near = links.attributes.firstIndex { $0.name == Relationship.source } ?? 0
        far = links.attributes.firstIndex { $0.name == Relationship.target } ?? 0
        reference = place.attribute
        target = ValueConversion(from: old.attributes[place.attribute].type, to: links.attributes[far].type)
    }
}
