import GranaryStoreKit

/// The schema of an open store in the form of SQLite's texts.
final class Catalog: Sendable {
    let schema: Schema
    let layouts: [EntityLayout]
    let hasChecksums: Bool
    let fingerprint: String
    /// The stored schema: with attributes in the order of their columns.
    private let stored: Schema

    init(_ schema: Schema, stored: Schema? = nil, hasChecksums: Bool) {
        self.schema = schema
        self.stored = stored ?? schema
        self.hasChecksums = hasChecksums
        fingerprint = schema.fingerprint
        let tables = schema.entities.map { EntitySQL($0, hasChecksum: hasChecksums) }
        let references = ReferenceMap(schema)
        layouts = schema.entities.indices.map {
            EntityLayout($0, in: schema, references, tables, hasChecksum: hasChecksums)
        }
    }

    /// The column of each attribute of an entity in its table.
    func columns(of layout: EntityLayout) -> [Int] {
        let entity = stored.entities.first { $0.name == layout.name } ?? layout.entity
        return layout.entity.attributes.enumerated().map { position, attribute in
            let column = entity.attributes.firstIndex { $0.name == attribute.name } ?? position
            return hasChecksums && column >= entity.originalAttributeCount ? column + 1 : column
        }
    }
}
