import GranaryCore

/// What is known of an entity for as long as the store is open: its texts of SQL, and what its cells may be.
final class EntityLayout: Sendable {
    let index: Int
    let entity: Entity
    let keyPosition: Int
    let keyKind: Cell.Kind
    let isAssigned: Bool
    let hasChecksum: Bool
    /// For each attribute the kinds of cell it may hold, a bit each.
    let kinds: [UInt8]
    /// The integers that attributes of other than 64 bits take; nil elsewhere.
    let ranges: [ClosedRange<Int64>?]
    /// The positions of the attributes in the order of their numbers, which is the order of the checksum.
    let checksumOrder: [Int]
    /// Of every entity of the schema: conditions reach others.
    let tables: [EntitySQL]
    let sql: EntitySQL
    /// The attributes elsewhere (and here) whose foreign keys name this entity.
    let referrers: [Referrer]
    /// The enforced references of this entity: position and target.
    let references: [(position: Int, target: Int)]

    struct Referrer: Sendable {
        var entity: Int
        var position: Int
        var rule: DeleteRule
    }

    var name: String { entity.name }
    var count: Int { entity.attributes.count }

    init(_ index: Int, in schema: Schema, _ tables: [EntitySQL], hasChecksum: Bool) {
        let entity = schema.entities[index]
        self.index = index
        self.entity = entity
        self.hasChecksum = hasChecksum
        keyPosition = entity.keyPosition
        keyKind = entity.attributes[keyPosition].type.storage
        isAssigned = entity.keyGeneration == .assigned
        kinds = entity.attributes.map { attribute in
            (1 << attribute.type.storage.rawValue) | (attribute.isOptional ? 1 << Cell.Kind.null.rawValue : 0)
        }
        ranges = entity.attributes.map { $0.type.integerRange.flatMap { $0 == Int64.min...Int64.max ? nil : $0 } }
        checksumOrder = entity.attributes.indices.sorted { entity.attributes[$0].id < entity.attributes[$1].id }
        self.tables = tables
        sql = tables[index]
        referrers = EntityLayout.referrers(to: entity.name, in: schema)
        references = entity.attributes.enumerated().compactMap { position, attribute in
            guard let reference = attribute.reference, reference.onDelete != .noAction,
                let target = schema.entities.firstIndex(where: { $0.name == reference.entity })
            else { return nil }
            return (position, target)
        }
    }

    private static func referrers(to name: String, in schema: Schema) -> [Referrer] {
        var found: [Referrer] = []
        for (position, entity) in schema.entities.enumerated() {
            for (attribute, described) in entity.attributes.enumerated() {
                guard let reference = described.reference, reference.entity == name, reference.onDelete != .noAction
                else {
                    continue
                }
                found.append(Referrer(entity: position, position: attribute, rule: reference.onDelete))
            }
        }
        return found
    }
}

extension EntityLayout {
    /// An error of one of Granary's functions, which know values only, with the entity that the statement asks for: as the
    /// other stores throw it. What SQLite itself said stays as it is.
    @inline(never) func named(_ error: any Error) -> any Error {
        guard let error = error as? GranaryError, error.entity == nil, error.underlying == nil,
            [.overflow, .range, .limit].contains(error.code)
        else { return error }
        return error.about(name)
    }

    @inline(never) func wrongCount(_ count: Int) -> GranaryError {
        GranaryError(
            .typeMismatch, "A row of \(name) has \(self.count) values, not \(count). Write one for each attribute.",
            entity: name)
    }

    @inline(never) func wrongKind(_ kind: Cell.Kind, at position: Int) -> GranaryError {
        kind == .null ? .required(entity, position) : .misfit(kind, entity, position)
    }

    @inline(never) func outOfRange(_ position: Int) -> GranaryError {
        .misfit(entity.attributes[position].type.storage, entity, position)
    }

    /// Refuses what the attribute cannot hold.
    @inline(__always) func check(_ cell: Cell, at position: Int) throws {
        guard kinds[position] & (1 << cell.kind.rawValue) != 0 else { throw wrongKind(cell.kind, at: position) }
        switch cell.kind {
        case .integer:
            if let range = ranges[position], !range.contains(cell.integerValue) { throw outOfRange(position) }
        // SQLite would store NULL.
        case .real: if cell.realValue.isNaN { throw outOfRange(position) }
        case .null, .text, .bytes: break
        }
    }

    /// Refuses a key of another kind, which SQLite would convert and then find.
    @inline(__always) func checkKey(_ key: Cell) throws {
        guard key.kind == keyKind else { throw wrongKind(key.kind, at: keyPosition) }
    }
}
