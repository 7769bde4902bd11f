import GranaryStoreKit

/// What is known of an entity for as long as the store is open: its texts of SQL, and what its cells may be.
final class EntityLayout: Sendable {
    let index: Int
    let entity: Entity
    let keyPosition: Int
    let keyKind: Cell.Kind
    let isAssigned: Bool
    let hasChecksum: Bool
    /// For each attribute the kinds of cell it may hold, a bit each: what is looked at when a row is read.
    let kinds: [UInt8]
    /// What each attribute may hold: what is looked at when a row is written.
    let values: [ValueRule]
    /// The positions of the attributes in the order of their numbers, which is the order of the checksum.
    let checksumOrder: [Int]
    /// The numbers of attributes that rows were written with before others were added.
    let earlierCounts: Set<Int>
    /// Of every entity of the schema: conditions reach others.
    let tables: [EntitySQL]
    let sql: EntitySQL
    /// The attributes elsewhere (and here) whose foreign keys name this entity.
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
    /// An error of one of Granary's functions, which know values only, with the entity that the statement asks for: as the
    /// other stores throw it. What SQLite itself said stays as it is.
    @inline(never) func named(_ error: any Error) -> any Error {
        guard let error = error as? GranaryError, error.entity == nil, error.underlying == nil,
            [.overflow, .range, .limit].contains(error.code)
        else { return error }
        return error.about(entity)
    }

    /// Refuses what the attribute cannot hold: of NaN SQLite would store NULL.
    @inline(__always) func check(_ cell: Cell, at position: Int) throws {
        guard values[position].holds(cell) else { throw GranaryError.refused(cell, entity, position) }
    }

    /// Refuses a key of another kind, which SQLite would convert and then find.
    @inline(__always) func checkKey(_ key: Cell) throws {
        guard key.kind == keyKind else { throw GranaryError.keyMisfit(entity) }
    }
}
