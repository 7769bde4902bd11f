import GranaryStoreKit

/// The schema of an open store as SQLite's texts.
final class Catalog: Sendable {
    let schema: Schema
    let layouts: [EntityLayout]
    let hasChecksums: Bool
    let fingerprint: String
    /// The schema as it is stored: with attributes in the order of their columns.
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

    /// Which column of its table each attribute of an entity is.
    func columns(of layout: EntityLayout) -> [Int] {
        let entity = stored.entities.first { $0.name == layout.name } ?? layout.entity
        return layout.entity.attributes.enumerated().map { position, attribute in
            let column = entity.attributes.firstIndex { $0.name == attribute.name } ?? position
            return hasChecksums && column >= entity.originalAttributeCount ? column + 1 : column
        }
    }
}
