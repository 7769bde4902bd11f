import GranaryCore
import GranaryMemory
import TestSupport

typealias Table = [Int64: [StoredValue]]

/// Artists, labels and songs whose references may dangle, so that any change is one that a store takes.
func looseMusic(indexed: Bool) -> Schema {
    Schema(
        entities: RandomMusic.schema(indexed: indexed).entities.map { entity in
            var entity = entity
            for position in entity.attributes.indices { entity.attributes[position].reference?.onDelete = .noAction }
            return entity
        })
}

/// A store in memory that holds these rows, and a reader of it.
func memoryReader(_ schema: Schema, _ tables: [Table]) throws -> (store: any Store, reader: any StoreReader) {
    let store = try MemoryStoreProvider.inMemory.open(schema, migration: .automatic)
    let writer = try store.beginWrite()
    defer { writer.end() }
    for (entity, table) in tables.enumerated() {
        for row in table.values {
            let stored = StoredRow(row)
            _ = try withExtendedLifetime(stored) { try writer.insert(stored.row, into: entity) }
        }
    }
    try writer.commit()
    return (store, try store.beginRead(CancellationFlag()))
}

extension RequestGenerator {
    mutating func row(_ entity: Int, _ key: Int64) -> [StoredValue] {
        [.integer(key)] + (1..<[5, 3, 7][entity]).map { value(entity, $0) }
    }

    /// Rows of every entity: artists, labels, songs.
    mutating func tables() -> [Table] {
        [8, 4, 24].enumerated().map { entity, count in
            Table(uniqueKeysWithValues: (1...Int64(count)).map { ($0, row(entity, $0)) })
        }
    }

    /// Changes some rows of some entities, and returns the changes.
    mutating func change(_ tables: inout [Table], entities: [Int], _ schema: Schema) -> PendingChanges {
        var pending = PendingChanges(schema)
        for entity in entities {
            for key in 1...Int64([10, 6, 32][entity]) where number(0...2) == 0 {
                let below = tables[entity][key]
                let current = below != nil && number(0...1) == 0 ? nil : row(entity, key)
                tables[entity][key] = current
                pending.set(
                    current.map { StoredRow($0) }, .integer(key), of: entity, below: below.map { StoredRow($0) })
            }
        }
        return pending
    }
}

extension StoreReader {
    func values(_ request: FetchRequest) throws -> [[StoredValue]] { try all(rows(request)) }

    /// Groups in the order of their values.
    func groups(_ request: FetchRequest) throws -> [[StoredValue]] {
        try all(rows(request)).sorted { $0.lexicographicallyPrecedes($1) }
    }

    func values(_ key: StoredValue, of entity: Int) throws -> [StoredValue]? {
        try key.withCell { key in
            guard let row = try find(key, in: entity) else { return nil }
            return (0..<row.count).map { StoredValue(row[$0]) }
        }
    }

    private func all(_ cursor: any RowCursor) throws -> [[StoredValue]] {
        var result: [[StoredValue]] = []
        while let row = try cursor.next() { result.append((0..<row.count).map { StoredValue(row[$0]) }) }
        return result
    }
}
