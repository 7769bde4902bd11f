import GranaryCore

/// The schema of an open store as SQLite's texts.
final class Catalog: Sendable {
    let schema: Schema
    let layouts: [EntityLayout]
    /// By entity.
    let deletions: [DeletionPlan]
    let hasChecksums: Bool

    init(_ schema: Schema, hasChecksums: Bool) {
        self.schema = schema
        self.hasChecksums = hasChecksums
        let layouts = schema.entities.indices.map { EntityLayout($0, in: schema, hasChecksum: hasChecksums) }
        self.layouts = layouts
        deletions = layouts.indices.map { DeletionPlan($0, layouts) }
    }
}
