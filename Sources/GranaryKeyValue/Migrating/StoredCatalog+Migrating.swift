import GranaryStoreKit

/// How a catalog changes when the store gets another schema.
struct CatalogChange {
    var catalog: StoredCatalog
    /// The indexes to fill: positions in the schema.
    var added: [(entity: Int, index: Int)] = []
    /// The existing indexes that become unique: positions in the schema.
    var tightened: [(entity: Int, index: Int)] = []

    /// Rows keep their shapes. An entity whose attributes differ from its last shape gets a further shape.
    init(_ catalog: StoredCatalog, to schema: Schema) {
        self.catalog = catalog
        for (position, entity) in schema.entities.enumerated() {
            guard let place = catalog.tables.firstIndex(where: { $0.entity == entity.id }) else {
                self.catalog.add(entity)
                continue
            }
            var table = catalog.tables[place]
            let shape = entity.attributes.map { ShapeField(attribute: $0.id, type: $0.type) }
            if table.shapes.last.map(Set.init) != Set(shape) { table.shapes.append(shape) }
            table.indexes = []
            let old = catalog.tables[place].indexes
            for (number, index) in entity.indexes.enumerated() {
                if let kept = old.first(where: { $0.matches(index, of: entity) }) {
                    table.indexes.append(kept)
                } else if var kept = old.first(where: { $0.hasEntries(of: index, of: entity) }),
                    !entity.indexes.contains(where: { kept.matches($0, of: entity) })
                {
                    kept.isUnique = index.isUnique
                    table.indexes.append(kept)
                    if index.isUnique { tightened.append((position, number)) }
                } else {
                    table.indexes.append(self.catalog.new(index, of: entity))
                    added.append((position, number))
                }
            }
            let kept = Set(table.indexes.map(\.keyspace))
            let dropped = old.map(\.keyspace).filter { !kept.contains($0) }
            if !dropped.isEmpty { self.catalog.dropped = (self.catalog.dropped ?? []) + dropped }
            self.catalog.tables[place] = table
        }
    }
}
