import GranaryPlatform

extension Stack {
    /// What opening a store with a schema would do. Nothing is changed.
    ///
    /// ```swift
    /// let planned = try await Stack.plan(schema, store: .sqlite(at: url), migration: .inferred)
    /// print(planned, planned.refused.isEmpty)
    /// ```
    ///
    /// The store must exist, and be closed in this process. Its records are counted.
    ///
    /// - Throws: What opening throws, except `schemaMismatch`: changes that a policy refuses are in
    ///   ``PlannedMigration/refused``. A ``MigrationDrift`` throws `schemaMismatch`.
    public static func plan(
        _ schema: Schema, store provider: some StoreProvider, migration: MigrationPolicy = .automatic
    ) async throws -> PlannedMigration {
        let opener = BlockingThreads(limit: 1)
        defer { opener.stop() }
        return try await opener.value { try provider.planMigration(to: schema, migration) }
    }
}

extension Blocking where Base == Stack {
    /// What opening a store with a schema would do: like ``Stack/plan(_:store:migration:)``.
    public static func plan(
        _ schema: Schema, store provider: some StoreProvider, migration: MigrationPolicy = .automatic
    ) throws -> PlannedMigration {
        try provider.planMigration(to: schema, migration)
    }
}
