import GranaryPlatform

extension Stack {
    /// What opening a store with a schema would do, without doing anything.
    ///
    /// ```swift
    /// let planned = try await Stack.plan(schema, store: .sqlite(at: url), migration: .inferred)
    /// print(planned, planned.refused.isEmpty)
    /// ```
    ///
    /// The store must be there, and closed in this process. Its records are counted.
    ///
    /// - Throws: What opening throws, `schemaMismatch` apart: what a policy refuses is in ``PlannedMigration/refused``. A
    ///   ``MigrationDrift`` throws `schemaMismatch`.
    public static func plan(
        _ schema: Schema, store provider: some StoreProvider, migration: MigrationPolicy = .automatic
    ) async throws -> PlannedMigration {
        let opener = BlockingThreads(limit: 1)
        defer { opener.stop() }
        return try await opener.value { try provider.planMigration(to: schema, migration) }
    }
}

extension Blocking where Base == Stack {
    /// What opening a store with a schema would do: as ``Stack/plan(_:store:migration:)``.
    public static func plan(
        _ schema: Schema, store provider: some StoreProvider, migration: MigrationPolicy = .automatic
    ) throws -> PlannedMigration {
        try provider.planMigration(to: schema, migration)
    }
}
