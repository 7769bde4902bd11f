import GranaryPlatform

extension StoreProvider {
    /// Opens the store, creating it if it is not there, as ``Stack`` does.
    ///
    /// - Parameter contents: What the store holds if it is created now: asked before, and again when one was moved aside. Nil
    ///   for nothing, and where the store is there.
    package func migrating(
        to schema: Schema, _ policy: MigrationPolicy, _ monitor: MigrationMonitor,
        contents: () throws -> StoreContents? = { nil }
    ) throws -> any Store {
        defer { monitor.finish() }
        var schema = schema
        // A store that is made needs none of the steps. One that is there has its own list.
        schema.appliedSteps = policy.plan?.baseline ?? []
        func opened() throws -> any Store {
            guard let contents = try contents() else { return try open(schema, migration: policy) }
            return try open(schema, migration: policy, contents: contents)
        }
        return try MigrationMonitor.$current.withValue(monitor) {
            do {
                return try opened()
            } catch let error as GranaryError where error.code == .schemaMismatch {
                guard case .moveAside = policy else { throw error }
                monitor.noteMoved(to: try moveAside())
                return try opened()
            }
        }
    }

    /// What ``migrating(to:_:_:)`` would do. Changes nothing.
    package func planMigration(to schema: Schema, _ policy: MigrationPolicy) throws -> PlannedMigration {
        try schema.validate()
        let stored = try storedSchema(comparedWith: schema)
        var planned = try PlannedMigration(from: stored, to: schema, policy)
        let store = try open(stored, migration: .refuse)
        defer { try? store.close() }
        let reader = try store.beginRead(CancellationFlag())
        defer { reader.end() }
        for (number, entity) in store.schema.entities.enumerated() {
            let count = try reader.count(FetchRequest(entity: number))
            planned.records.append(PlannedMigration.RecordCount(entity: entity.name, count: count))
        }
        planned.size = try store.location.flatMap { try FileSystem.status($0) }.map { Int($0.size) }
        return planned
    }

    /// The schema that the store was made for. Opening with another one says it.
    private func storedSchema(comparedWith schema: Schema) throws -> Schema {
        do {
            let store = try open(schema, migration: .refuse)
            defer { try? store.close() }
            return store.schema
        } catch let error as GranaryError where error.code == .schemaMismatch {
            guard let planned = error.plannedMigration else { throw error }
            return planned.stored
        }
    }
}
