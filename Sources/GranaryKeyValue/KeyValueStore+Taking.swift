package import GranaryStoreKit

// If a seed has rows of the same shapes under the same numbers, its entries are copied unchanged, in the order of keys:
// those of rows and those of indexes, so that no index needs to be sorted. The store's data about itself is not copied:
// it is written as in a copy of records.

extension KeyValueStore: ContentsTaking {
    package func takeContents(of source: any Store, ending end: FillingEnd) throws -> Bool {
        guard let source = source as? KeyValueStore, source.kind == kind, source.schema.hasRows(of: schema) else {
            return false
        }
        var indexes: [[TableIndex]] = []
        for (mine, theirs) in zip(tables, source.tables) {
            guard let same = mine.sameIndexes(of: theirs) else { return false }
            indexes.append(same)
        }
        let cancellation = LongWork.current?.cancellation ?? CancellationFlag()
        guard let seed = try? KeyValueSession(source.base, source.engine.beginRead(), cancellation) else {
            return false
        }
        defer { seed.end() }
        guard let mine = try KeyValueStore.description(engine)?.catalog,
            let theirs = try KeyValueStore.description(seed.engine, kind)?.catalog, mine.hasShapes(of: theirs)
        else { return false }
        guard let writer = try beginWrite() as? KeyValueStoreWriter else { return false }
        defer { writer.end() }
        try writer.take(seed, indexes, ending: end)
        _ = try writer.commit()
        return true
    }
}

extension StoredCatalog {
    /// Whether another store has rows of exactly the same shapes.
    fileprivate func hasShapes(of other: StoredCatalog) -> Bool {
        tables.allSatisfy { table in
            other.tables.contains { $0.entity == table.entity && $0.shapes == table.shapes }
        }
    }
}

extension Table {
    /// The indexes of another table that have the same entries, in the order of this one's; nil if one is missing.
    fileprivate func sameIndexes(of other: Table) -> [TableIndex]? {
        let found = indexes.compactMap { index in
            other.indexes.first {
                $0.positions == index.positions && $0.folding == index.folding && $0.isUnique == index.isUnique
            }
        }
        return found.count == indexes.count ? found : nil
    }
}
