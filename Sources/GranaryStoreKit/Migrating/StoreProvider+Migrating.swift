import GranaryPlatform

extension StoreProvider {
    /// Opens the store, creating it if it does not exist, like ``Stack``.
    ///
    /// - Parameter seed: The contents of the store if it is created now; nil for none. Called only in that case.
    package func migrating(
        to schema: Schema, _ policy: MigrationPolicy, _ work: LongWork,
        seed: () throws -> StoreContents? = { nil }
    ) throws -> any Store {
        var schema = schema
        // A new store needs none of the steps. An existing store has its own list.
        schema.appliedSteps = policy.plan?.baseline ?? []
        func opened(with contents: StoreContents?) throws -> any Store {
            guard let contents else { return try open(schema, migration: policy) }
            var schema = schema
            schema.seed = contents.seed
            return try open(schema, migration: policy, contents: contents)
        }
        return try work.run {
            guard try exists() == true else { return try opened(with: try seed()) }
            do {
                return try opened(with: nil)
            } catch let error as GranaryError where error.code == .schemaMismatch {
                guard case .moveAside = policy else { throw error }
                // An error of the seed must be thrown before anything is moved.
                let contents = try seed()
                let moved = try moveAside()
                work.noteMoved(to: moved)
                do { return try opened(with: contents) } catch {
                    throw GranaryError.moved(to: moved, butNotMade: error)
                }
            }
        }
    }

    /// The plan of ``migrating(to:_:_:)``. Changes nothing.
    package func planMigration(to schema: Schema, _ policy: MigrationPolicy) throws -> PlannedMigration {
        try schema.validate()
        do {
            return try readingOnly.plannedMigration(to: schema, policy)
        } catch let error as GranaryError where error.code == .alreadyOpen {
            // This process has it open for writing. Sharing that store changes nothing.
            return try plannedMigration(to: schema, policy)
        }
    }

    private func plannedMigration(to schema: Schema, _ policy: MigrationPolicy) throws -> PlannedMigration {
        guard try exists() != false else {
            throw GranaryError(
                .notAStore, "There is no store yet: opening it makes one for this schema, and nothing is migrated.")
        }
        if let parts = self as? PartsProvider { return try parts.plannedMigration(to: schema, policy) }
        let stored = try storedSchema(comparedWith: schema)
        var planned = try PlannedMigration(from: stored, to: schema, policy)
        let store = try open(stored, migration: .refuse)
        defer { try? store.close() }
        let reader = try store.beginRead(CancellationFlag())
        defer { reader.end() }
        try planned.count(reader)
        planned.wordIndexes = try wordIndexes(planned, schema, reader)
        planned.size = try store.location.flatMap { try FileSystem.status($0) }.map { Int($0.size) }
        return planned
    }

    /// The indexes of words that opening the store with a schema makes, and the number of their records.
    private func wordIndexes(
        _ planned: PlannedMigration, _ schema: Schema, _ reader: any StoreReader
    ) throws -> [PlannedMigration.RecordCount] {
        guard planned.refused.isEmpty, let keeper = try reader.lowestReader() as? any WordKeeping else { return [] }
        let blocks = try keeper.wordBlocks()
        // New files have no index yet.
        let isRewritten = planned.cost ?? .instant > .instant
        return try schema.adoptingIDs(from: planned.stored).entities.enumerated().compactMap { position, entity in
            guard let searched = SearchedEntity(entity, at: position) else { return nil }
            if !isRewritten, let blocks {
                switch try searched.keeping(in: blocks) {
                case .kept: return nil
                case .missing: break
                case .other:
                    // Without the tokenizer it is not known here whether its version is another one.
                    let stored = planned.stored.entities.first { $0.id == entity.id }
                    if !searched.rules.canFindWords, stored?.words == entity.words { return nil }
                }
            }
            return PlannedMigration.RecordCount(entity: entity.name, count: planned.count(of: entity.name) ?? 0)
        }
    }

    /// The schema that the store was made for. The error of opening with another schema contains it.
    private func storedSchema(comparedWith schema: Schema) throws -> Schema {
        do {
            let store = try open(schema, migration: .refuse)
            let (opened, keepsSchema) = (store.schema, store.capabilities.has(.storedSchema))
            try store.close()
            // The store was opened with the relationships of the program, which the stored schema may lack.
            guard keepsSchema, let own = try? openStored() else { return opened }
            defer { try? own.close() }
            return own.schema
        } catch let error as GranaryError where error.code == .schemaMismatch {
            guard let planned = error.plannedMigration else { throw error }
            return planned.stored
        }
    }
}
