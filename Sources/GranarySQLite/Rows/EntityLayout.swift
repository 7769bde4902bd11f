import GranaryStoreKit

/// Information about an entity that is kept while the store is open: its SQL texts, and the kinds of its cells.
final class EntityLayout: Sendable {
    let index: Int
    let entity: Entity
    let keyPosition: Int
    let keyKind: Cell.Kind
    let isAssigned: Bool
    let hasChecksum: Bool
    /// For each attribute the allowed kinds of cell, one bit each: checked when a row is read.
    let kinds: [UInt8]
    /// For each attribute the allowed values: checked when a row is written.
    let values: [ValueRule]
    /// The positions of the attributes in the order of their numbers, which is the order of the checksum.
    let checksumOrder: [Int]
    /// The numbers of attributes in rows that were written before others were added.
    let earlierCounts: Set<Int>
    /// The tables of every entity of the schema, because conditions reach other entities.
    let tables: [EntitySQL]
    let sql: EntitySQL
    /// The attributes whose foreign keys name this entity, of any entity.
    let referrers: [ReferenceMap.Incoming]
    /// The enforced references of this entity.
    let references: [ReferenceMap.Outgoing]

    var name: String { entity.name }
    var count: Int { entity.attributes.count }

    init(
        _ index: Int, in schema: Schema, _ references: ReferenceMap, _ tables: [EntitySQL], hasChecksum: Bool
    ) {
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
        values = entity.attributes.map(ValueRule.init)
        checksumOrder = entity.attributes.indices.sorted { entity.attributes[$0].id < entity.attributes[$1].id }
        earlierCounts = Set(entity.attributes.compactMap(\.addition?.count))
        self.tables = tables
        sql = tables[index]
        referrers = references.incoming[index]
        self.references = references.outgoing[index]
    }
}

extension EntityLayout {
    /// The error of one of Granary's functions, which know only values, completed with the entity that the statement is
    /// about, as in the other stores. Errors of SQLite itself stay as they are.
    @inline(never) func named(_ error: any Error) -> any Error {
        guard let error = error as? GranaryError, error.entity == nil, error.underlying == nil,
            [.overflow, .range, .limit].contains(error.code)
        else { return error }
        return error.about(entity)
    }

    /// Refuses a value that the attribute cannot hold: for NaN SQLite would store NULL.
    @inline(__always) func check(_ cell: Cell, at position: Int) throws {
        guard values[position].holds(cell) else { throw GranaryError.refused(cell, entity, position) }
    }

    /// Refuses a key of another kind, because SQLite would convert it and then find it.
    @inline(__always) func checkKey(_ key: Cell) throws {
        guard key.kind == keyKind else { throw GranaryError.keyMisfit(entity) }
    }
}
