// A migration that rewrites records reads each row of the old store once and makes a row of the new store from it, or
// drops it. The source of each attribute is decided once for each entity, as a list of sources in the order of the new
// attributes. Most are cells that are copied unchanged; the bytes of a converted cell are kept until the next row.
//
// A reference has the type of the key that it names, and both go through the same conversion: so references follow keys
// whose type changes. If another attribute becomes the key, the record that a reference or a link names is looked up in
// the old store: see `TargetRule`.

/// Converts the rows of a store to another schema.
final class RowConversion {
    private let migration: SchemaMigration
    /// By the position of the stored entity; nil if its records are dropped.
    private let entities: [EntityConversion?]
    private let source: any StoreReader
    private var cells: ContiguousArray<Cell> = []
    private var kept: [HeldCell] = []
    /// The greatest keys of links that are made from references, by the position of their entity.
    private var lastLinks: [Int: Int64] = [:]

    /// - Parameter source: The old store, open for look-ups while rows are read.
    init(_ migration: SchemaMigration, _ source: any StoreReader) {
        self.migration = migration
        self.source = source
        let match = SchemaMatch(migration.stored, migration.target)
        var entities: [EntityConversion?] = migration.stored.entities.map { _ in nil }
        for (number, position) in match.entities.enumerated() {
            guard let position, !migration.dropsLinks(number, match) else { continue }
            entities[position] = EntityConversion(number, from: position, match, migration, source)
        }
        for (number, place) in match.linksFromReferences(migration.stored, migration.target) {
            entities[place.entity]?.links.append(LinkMaking(number, from: place, match, migration))
        }
        self.entities = entities
        let width = migration.target.entities.map(\.attributes.count).max() ?? 0
        cells = ContiguousArray(repeating: .null, count: width)
        kept = (0..<width).map { _ in HeldCell() }
    }

    /// Appends the converted row, or nothing.
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
            guard let value = rule.converted(row[old]) else {
                throw conversion.losing(position, row).with(value: conversion.text(of: old, row))
            }
            return kept[position].keep(value)
        case .follow(let old, let rule):
            if row[old].isNull { return .null }
            guard let value = try rule.value(row[old], self.source) else {
                throw conversion.losing(conversion.entity.attributes[position].name, rule, row)
                    .with(value: conversion.text(of: old, row))
            }
            return kept[position].keep(value)
        case .links(let links, let near, let far, let rule):
            let targets = try self.source.values(
                at: far, where: near, equals: StoredValue(row[conversion.oldKey]), in: links, limit: 2)
            guard let target = targets.first else { return .null }
            guard targets.count == 1 else { throw conversion.losing(position, row) }
            guard let value = try target.withCell({ try rule.value($0, self.source) }) else {
                throw conversion.losing(conversion.entity.attributes[position].name, rule, row)
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
                try step.convert(old, &new)
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
        guard let target = try link.target?.value(row[link.reference], source) else {
            throw conversion.losing(link.name, link.target, row)
        }
        let number = lastLinks[link.entity, default: 0] + 1
        lastLinks[link.entity] = number
        var values = [StoredValue](repeating: .integer(number), count: link.count)
        values[link.near] = StoredValue(cells[conversion.entity.keyPosition])
        values[link.far] = target
        try output.append(values, to: link.entity)
    }
}

/// The source of the value of a new attribute.
indirect enum AttributeSource {
    /// The cell at a position, with a replacement for nil.
    case cell(Int, orNil: StoredValue?)
    case constant(StoredValue)
    case converted(Int, ValueConversion, orNil: StoredValue?)
    /// The new key of the record that the reference at a position names.
    case follow(Int, TargetRule)
    /// Another source with some values replaced.
    case renamed([StoredValue: StoredValue], AttributeSource)
    /// The other end of the record's single link.
    case links(Int, near: Int, far: Int, TargetRule)
}

/// The conversion of the rows of one entity.
struct EntityConversion {
    /// The position of the new entity.
    let number: Int
    let entity: Entity
    let old: Entity
    let oldKey: Int
    /// The sources, by the position of the new attribute.
    private(set) var sources: [AttributeSource] = []
    let steps: [(name: String, convert: MigrationStep.RowStep)]
    /// The positions of new attributes that must not be nil and might be nil.
    private(set) var required: [Int] = []
    var links: [LinkMaking] = []

    init(
        _ number: Int, from position: Int, _ match: SchemaMatch, _ migration: SchemaMigration, _ store: any StoreReader
    ) {
        self.number = number
        entity = migration.target.entities[number]
        old = migration.stored.entities[position]
        oldKey = old.keyPosition
        let name = entity.name
        steps = migration.steps.compactMap { step in step.converts(name).map { (step.name, $0(store)) } }
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
                source = EntityConversion.links(attribute, number, match, migration) ?? source
            } else if attribute.name == Relationship.position, entity.linkedRelationship != nil {
                // Links that become ordered are in the order in which they were made.
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
        let target = following(new, old, match, migration)
        let isOther =
            old.type != new.type || target?.isUnknown ?? false || migration.changesTarget(entity.name, new.name)
        if isOther, migration.isDropped(entity.name, new.name) { return .constant(given) }
        if let target, !(target.isUnknown && migration.isConverted(entity.name, new.name)) {
            return .follow(place, target)
        }
        guard let rule = ValueConversion(from: old.type, to: new.type) else { return .constant(given) }
        if rule.keepsCells { return .cell(place, orNil: old.isOptional ? fallback : nil) }
        return .converted(place, rule, orNil: fallback)
    }

    /// How a reference follows records whose key is another attribute now; nil if their keys stay.
    fileprivate static func following(
        _ new: Attribute, _ old: Attribute, _ match: SchemaMatch, _ migration: SchemaMigration
    ) -> TargetRule? {
        guard let reference = new.reference, old.reference != nil,
            let rule = TargetRule(reference.entity, from: old.type, to: new.type, match, migration)
        else { return nil }
        if case .converted = rule { return nil }
        return rule
    }

    private static func links(
        _ attribute: Attribute, _ number: Int, _ match: SchemaMatch, _ migration: SchemaMigration
    ) -> AttributeSource? {
        let links = migration.stored.entities[number]
        guard let near = links.attributes.firstIndex(where: { $0.name == Relationship.source }),
            let far = links.attributes.firstIndex(where: { $0.name == Relationship.target }),
            let target = attribute.reference?.entity,
            let rule = TargetRule(target, from: links.attributes[far].type, to: attribute.type, match, migration)
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
            attribute.name, row)
    }

    /// A value of the old row, in the form for an error.
    func text(of position: Int, _ row: borrowing Row) -> String {
        StoredValue(row[position]).textOfError(as: old.attributes[position].type)
    }

    /// The error for a reference, or a link, for which the new key of its record cannot be found.
    ///
    /// - Parameter name: The name of the new reference, or of the relationship.
    func losing(_ name: String, _ rule: TargetRule?, _ row: borrowing Row) -> GranaryError {
        let path = entity.path(of: name)
        guard case .unknown(let target) = rule else {
            return error(
                .range,
                "A record of \(entity.path) refers by \(path) to a record that does not exist, or that has no key of the new type. Change the record with the old schema, or convert \(path) in a step of a migration plan.",
                name, row)
        }
        return error(
            .range,
            "A record of \(entity.path) refers by \(path) to a \(target.name), and the store does not have the new key \(target.path(of: target.key)) yet. Take two steps: add \(target.path(of: target.key)) in a step that ends with reaching(_:), and make it the key in the next step.",
            name, row)
    }

    /// The error for a required attribute without a value.
    func missing(_ position: Int, _ row: borrowing Row) -> GranaryError {
        let attribute = entity.attributes[position]
        return error(
            .required,
            "\(entity.path(of: attribute.name)) is required now, and a record has no value for it. Give the attribute a default, or the record a value in a step of a migration plan.",
            attribute.name, row)
    }

    private func error(
        _ code: GranaryError.Code, _ message: String, _ attribute: String, _ row: borrowing Row
    ) -> GranaryError {
        var error = GranaryError(code, message, about: entity, [attribute])
        error.key = StoredValue(row[old.positionOfKeyInErrors])
        return error
    }
}

/// How links are made from a reference.
struct LinkMaking {
    /// The position of the new entity of links.
    let entity: Int
    /// The name of the relationship.
    let name: String
    let count: Int
    let near: Int
    let far: Int
    /// The position of the reference in the stored entity.
    let reference: Int
    let target: TargetRule?

    init(_ number: Int, from place: AttributePlace, _ match: SchemaMatch, _ migration: SchemaMigration) {
        let links = migration.target.entities[number]
        let old = migration.stored.entities[place.entity]
        entity = number
        name = links.linkedRelationship?.name ?? links.name
        count = links.attributes.count
        near = links.attributes.firstIndex { $0.name == Relationship.source } ?? 0
        far = links.attributes.firstIndex { $0.name == Relationship.target } ?? 0
        reference = place.attribute
        let (oldType, end) = (old.attributes[place.attribute].type, links.attributes[far])
        target = end.reference.flatMap { TargetRule($0.entity, from: oldType, to: end.type, match, migration) }
    }
}

extension TargetRule {
    fileprivate var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

extension SchemaMigration {
    /// Whether the links that belong to a new entity are dropped, because their target is another entity now, or
    /// because the new keys of its records are not stored.
    fileprivate func dropsLinks(_ number: Int, _ match: SchemaMatch) -> Bool {
        let links = target.entities[number]
        guard let link = links.linkedRelationship, let position = match.entities[number],
            isDropped(link.owner, link.name)
        else { return false }
        let leadsElsewhere = difference.changes.contains {
            if case .relationshipTargetChanged(link.owner, link.name, _, _) = $0 { true } else { false }
        }
        return leadsElsewhere
            || zip(links.attributes, match.attributes[number]).contains { attribute, place in
                guard let place else { return false }
                let old = stored.entities[position].attributes[place]
                return EntityConversion.following(attribute, old, match, self)?.isUnknown ?? false
            }
    }

    /// Whether a reference has another target entity now.
    fileprivate func changesTarget(_ entity: String, _ attribute: String) -> Bool {
        difference.changes.contains {
            if case .targetChanged(entity, attribute, _, _) = $0 { true } else { false }
        }
    }
}
