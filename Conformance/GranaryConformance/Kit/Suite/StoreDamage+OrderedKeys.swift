import GranaryCore
public import GranaryKeyValue
import GranaryMemory
import GranaryStoreKit

// Damage is made in the engine's own entries. Where a row with other values is needed, it comes from a second store, in memory,
// which has the same schema without uniqueness: the same row has the same bytes in each engine.

extension StoreDamage {
    /// Damages the ``/GranaryKeyValue/KeyValueStore`` that an open engine holds. No other store over the engine may be open.
    ///
    /// ```swift
    /// subject.damage = { damage, path in
    ///     let engine = try MyEngine(folder: path + "/gen-0001")
    ///     defer { try? engine.close() }
    ///     try damage.apply(to: engine)
    /// }
    /// ```
    public func apply(to engine: any OrderedKeyValueEngine) throws {
        let store = try KeyValueStore(engine: engine, schema: SuiteSchema.standard, migration: .refuse)
        let (note, counter) = (try store.places(of: Note.entityName), try store.places(of: Counter.entityName))
        let writer = try engine.beginWrite()
        defer { writer.end() }
        switch self {
        case .missingEntry:
            try writer.remove(try writer.secondEntry(in: note.entries[0]).key, in: note.entries[0])
        case .missingRow: try writer.remove(try writer.secondEntry(in: note.rows).key, in: note.rows)
        case .danglingReference:
            let rows = try store.places(of: Shelf.entityName).rows
            try writer.remove(try writer.secondEntry(in: rows).key, in: rows)
        case .wrongChecksum:
            var (key, row) = try writer.secondEntry(in: note.rows)
            row[row.count - 1] ^= 1
            try writer.put(key, row, in: note.rows)
        case .equalUniqueValues:
            let (other, places) = try StoreDamage.counters(["a", "a", "c"])
            defer { other.end() }
            for (source, target) in zip([places.rows] + places.entries, [counter.rows] + counter.entries) {
                try writer.deleteAll(in: target)
                for (key, value) in try other.entries(in: source) { try writer.put(key, value, in: target) }
            }
        case .keyCounterBehind:
            let (other, places) = try StoreDamage.counters(["a"])
            defer { other.end() }
            let value = try places.counter.withUnsafeBytes { try other.get($0, in: KeyValueStore.ownKeyspace) }
            try writer.put(counter.counter, Array(try present(value)), in: KeyValueStore.ownKeyspace)
        }
        try writer.commit()
    }

    /// A reader of another store, whose counters have these labels, and where it keeps them.
    private static func counters(_ labels: [String]) throws -> (any KeyValueReader, KeyValueStore.Places) {
        let entities = SuiteSchema.standard.entities.map { entity in
            var entity = entity
            if entity.name == Counter.entityName { entity.indexes = [.index("label")] }
            return entity
        }
        let engine = MemoryEngine()
        let store = try KeyValueStore(engine: engine, schema: Schema(entities: entities))
        let number = try store.schema.position(ofEntity: Counter.entityName)
        let writer = try store.beginWrite()
        defer { writer.end() }
        for label in labels {
            var cells = RowWriter(count: 2)
            try Counter(label: label).encode(into: &cells)
            _ = try cells.withRow { try writer.insert($0, into: number) }
        }
        _ = try writer.commit()
        return (try engine.beginRead(), try store.places(of: Counter.entityName))
    }
}

extension KeyValueReader {
    fileprivate func entries(in keyspace: Keyspace) throws -> [(key: [UInt8], value: [UInt8])] {
        let cursor = try cursor(in: keyspace)
        var entries: [(key: [UInt8], value: [UInt8])] = []
        var next = try cursor.first()
        while let entry = next {
            entries.append((Array(entry.key), Array(entry.value)))
            next = try cursor.next()
        }
        return entries
    }

    /// The records of the suite are in the order of their keys, and so are the values of their indexes.
    fileprivate func secondEntry(in keyspace: Keyspace) throws -> (key: [UInt8], value: [UInt8]) {
        let entries = try entries(in: keyspace)
        try expectEqual(entries.count, 3, "the entries of a keyspace that is to be damaged")
        return entries[1]
    }
}

extension KeyValueWriter {
    fileprivate func put(_ key: [UInt8], _ value: [UInt8], in keyspace: Keyspace) throws {
        try key.withUnsafeBytes { key in
            try reserve(key, count: value.count, in: keyspace, mode: .replace)?.copyBytes(from: value)
        }
    }

    fileprivate func remove(_ key: [UInt8], in keyspace: Keyspace) throws {
        let wasThere = try key.withUnsafeBytes { try delete($0, in: keyspace) }
        try expect(wasThere, "an entry that is to be removed is not there")
    }
}
