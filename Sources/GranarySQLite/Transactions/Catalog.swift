import GranaryCore

/// The schema of an open store as SQLite's texts.
final class Catalog: Sendable {
    let schema: Schema
    let layouts: [EntityLayout]
    let hasChecksums: Bool

    init(_ schema: Schema, hasChecksums: Bool) {
        self.schema = schema
        self.hasChecksums = hasChecksums
        let tables = schema.entities.map { EntitySQL($0, hasChecksum: hasChecksums) }
        layouts = schema.entities.indices.map { EntityLayout($0, in: schema, tables, hasChecksum: hasChecksums) }
    }
}
