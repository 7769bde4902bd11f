import GranaryStoreKit

/// The schema of an open store as SQLite's texts.
final class Catalog: Sendable {
    let schema: Schema
    let layouts: [EntityLayout]
    let hasChecksums: Bool
    /// The schema as it was when the tables were made: with attributes in the order of their columns.
    private let stored: Schema

    init(_ schema: Schema, stored: Schema? = nil, hasChecksums: Bool) {
        self.schema = schema
        self.stored = stored ?? schema
        self.hasChecksums = hasChecksums
        let tables = schema.entities.map { EntitySQL($0, hasChecksum: hasChecksums) }
        let references = ReferenceMap(schema)
        layouts = schema.entities.indices.map {
            EntityLayout($0, in: schema, references, tables, hasChecksum: hasChecksums)
        }
    }

    /// Which column of its table each attribute of an entity is.
    func columns(of layout: EntityLayout) -> [Int] {
        let columns = stored.entities.first { $0.name == layout.name }?.attributes.map(\.name) ?? []
        return layout.entity.attributes.enumerated().map { position, attribute in
            columns.firstIndex(of: attribute.name) ?? position
        }
    }
}
