import GranaryStoreKit
import GranaryPlatform

/// One entity in the form of the store: its keyspace, its row layout, its indexes, and its references in both
/// directions.
final class Table: Sendable {
    enum KeyKind: Sendable {
        case int64, uuid, text
    }

    let number: Int
    let entity: Entity
    let keyspace: Keyspace
    let keyPosition: Int
    let keyKind: KeyKind
    let keyField: ValueKind
    let kinds: ContiguousArray<ValueKind>
    let layout: RowLayout
    /// The key and the attributes of indexes.
    let entryColumns: ColumnSet
    let indexes: ContiguousArray<TableIndex>
    /// Whether any index is unique.
    let hasUniqueIndex: Bool
    /// The references that are checked when a row is written.
    let outgoing: ContiguousArray<ReferenceMap.Outgoing>
    /// The references that a deletion must follow.
    let incoming: ContiguousArray<Incoming>
    let assignsKeys: Bool
    /// The key and each index, in the form for the planner.
    let accesses: [Plan.Access]
    let keyComponents: [SearchComponent]

    struct Incoming: Sendable {
        var reference: ReferenceMap.Incoming
        /// The index of the referring table that begins with the reference.
        var index: Int
    }

    init(_ rules: EntityRules, of schema: Schema, catalog: StoredCatalog.Table) throws {
        let entity = rules.entity
        number = rules.number
        self.entity = entity
        keyspace = Keyspace(catalog.keyspace)
        keyPosition = rules.keyPosition
        let keyType = entity.attributes[keyPosition].type
        keyKind = keyType == .int64 ? .int64 : keyType == .uuid ? .uuid : .text
        keyField = ValueKind(keyType)
        let kinds = ContiguousArray(entity.attributes.map { ValueKind($0.type) })
        self.kinds = kinds
        layout = try RowLayout(entity, shapes: catalog.shapes)
        assignsKeys = rules.assignsKeys
        indexes = try ContiguousArray(
            entity.indexes.map { index in
                guard let kept = catalog.indexes.first(where: { $0.matches(index, of: entity) }) else {
                    throw Meta.damaged("an index of \(entity.name)")
                }
                return TableIndex(index, of: entity, keyspace: Keyspace(kept.keyspace))
            })
        entryColumns = ColumnSet([entity.keyPosition] + indexes.flatMap(\.positions))
        accesses = [.key] + indexes.indices.map { .index($0) }
        keyComponents = [SearchComponent(position: keyPosition)]
        hasUniqueIndex = !rules.uniques.isEmpty
        outgoing = ContiguousArray(rules.outgoing)
        incoming = ContiguousArray(
            rules.incoming.compactMap { reference in
                let source = schema.entities[reference.entity]
                let name = source.attributes[reference.position].name
                let index = source.indexes.firstIndex { $0.attributes.first == name && $0.folding.isEmpty }
                return index.map { Incoming(reference: reference, index: $0) }
            })
    }

    /// ``EntityRules/needsKey(_:)`` for each written row.
    @inline(__always) func needsKey(_ cell: Cell) -> Bool {
        assignsKeys && EntityRules.isToBeAssigned(cell)
    }

    /// Writes the engine's key for a key's cell and returns its length.
    ///
    /// - Throws: `typeMismatch` if the cell is not a key of this type.
    @inline(__always)
    func encodeKey(_ cell: Cell, into buffer: UnsafeMutableRawPointer) throws -> Int {
        guard keyField.accepts(cell) else { throw notAKey() }
        switch keyKind {
        case .int64:
            let flipped = UInt64(bitPattern: cell.integerValue) ^ (1 << 63)
            buffer.storeBytes(of: flipped.bigEndian, as: UInt64.self)
            return 8
        case .uuid:
            if let source = cell.rawBytes.baseAddress { buffer.copyMemory(from: source, byteCount: 16) }
            return 16
        case .text:
            var encoder = KeyEncoder(buffer, limit: KeyFormat.rowKeyPrefix)
            encoder.putEscaped(cell.rawBytes)
            if encoder.isCut {
                encoder.appendHash(
                    (
                        hash64(cell.rawBytes, seed: KeyFormat.hashSeeds.0),
                        hash64(cell.rawBytes, seed: KeyFormat.hashSeeds.1)
                    ))
            }
            return encoder.count
        }
    }

    /// The key in an engine's key of fixed size, pointing into it; nil if it is not such a key.
    func keyCell(_ key: UnsafeRawBufferPointer) -> Cell? {
        switch keyKind {
        case .int64 where key.count == 8:
            .integer(Int64(bitPattern: UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) ^ (1 << 63)))
        case .uuid where key.count == 16: .bytes(key)
        case .int64, .uuid, .text: nil
        }
    }

    /// Whether the key was cut, so that it identifies its row only after a look at the row.
    @inline(__always) func isCut(_ key: UnsafeRawBufferPointer) -> Bool {
        keyKind == .text && key.count == KeyFormat.cutRowKey
    }

    @inline(never) private func notAKey() -> GranaryError { .keyMisfit(entity) }

    @inline(never) func duplicateKey() -> GranaryError { .notUnique(entity, [entity.key]) }

    @inline(never) func dangling(_ position: Int) -> GranaryError { .dangling(entity, position) }
}
