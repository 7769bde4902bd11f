package import GranaryStoreKit

// A migration is one transaction of the engine: it fills the new indexes, looks for duplicates in those that become
// unique, and writes the schema, its fingerprint, the catalog and the number of the schema. Rows stay as they are: each
// names the shape that it was written in. Keyspaces are made before the transaction. If the process is killed after
// that, they stay empty, and the next migration uses their numbers. The catalog lists the keyspaces of removed indexes.
// They are emptied after the store has been opened, because LMDB reads most of their pages to free them.
//
// Two processes may migrate at once. The data that the plan was based on is read again inside the transaction; if it
// has changed in the meantime, the plan is made again. A process that has the store open finds another number of the
// schema when it next begins a transaction, and throws.

extension KeyValueStore {
    /// Changes the schema of the store in an engine, as far as a policy allows. Does nothing if the engine is empty or
    /// has the schema. No other store of this process may use the engine.
    ///
    /// - Parameter stopsAtRewriting: Whether it returns before a stage that rewrites records, and does not throw: for
    ///   stores whose new files the caller makes.
    /// - Throws: `schemaMismatch`, `uniqueness`, and what the engine throws. The store is as it was then.
    package static func migrate(
        _ engine: any OrderedKeyValueEngine, to schema: Schema, _ policy: MigrationPolicy,
        access: StoreAccess = .readWrite, stopsAtRewriting: Bool = false
    ) throws {
        try engine.prepare(keyspaces: [Meta.keyspace])
        var attempts = 0
        while true {
            do {
                guard try takeStage(engine, to: schema, policy, access, stopsAtRewriting) else { return }
            } catch let error as GranaryError where error.code == .full && engine.hasMoreRoom && attempts < 40 {
                attempts += 1
            }
        }
    }

    /// Carries out the next stage, unless another process was faster. Returns false if nothing needs to be done.
    private static func takeStage(
        _ engine: any OrderedKeyValueEngine, to schema: Schema, _ policy: MigrationPolicy, _ access: StoreAccess,
        _ stopsAtRewriting: Bool
    ) throws -> Bool {
        guard let found = try description(engine) else { return false }
        guard let migration = try SchemaMigration(from: found.schema, to: schema, policy, access: access) else {
            if access == .readWrite, policy.mayMigrate { try writeRelationships(of: schema, engine, found.schema) }
            return false
        }
        if stopsAtRewriting, !migration.isInstant { return false }
        try migration.requireInstant()
        let change = CatalogChange(found.catalog, to: migration.target)
        try engine.prepare(keyspaces: found.catalog.keyspaces + change.catalog.keyspaces)
        let writer = try engine.beginWrite()
        defer { writer.end() }
        let now = try description(writer, engine.kind)
        guard let now, now.catalog == found.catalog, now.schema.fingerprint == found.schema.fingerprint else {
            return true
        }
        let rules = EntityRules.all(of: migration.target)
        func migrated(_ entity: Int) throws -> Table? {
            let number = migration.target.entities[entity].id
            guard let kept = change.catalog.tables.first(where: { $0.entity == number }) else { return nil }
            return try Table(rules[entity], of: migration.target, catalog: kept)
        }
        try makeIndexes(
            change.added.compactMap { place in
                try migrated(place.entity).map { (table: $0, index: place.index) }
            },
            tightening: change.tightened.compactMap { place in
                try migrated(place.entity).map { (table: $0, index: place.index) }
            }, writer)
        try Meta.write(migration.target.json(), Meta.schema, writer)
        try Meta.write(Array(migration.target.fingerprint.utf8), Meta.fingerprint, writer)
        try Meta.write(change.catalog.json(), Meta.catalog, writer)
        var state = now.state
        state.schemaNumber += 1
        try Meta.write(state, writer)
        try writer.commit()
        LongWork.current?.note(migration)
        return true
    }

    public func removeDroppedIndexes() throws {
        let writer = try engine.beginWrite()
        defer { writer.end() }
        guard let found = try KeyValueStore.description(writer, kind), found.catalog.dropped != nil else { return }
        // This store has prepared only the keyspaces of its own schema.
        guard found.state.schemaNumber == schemaNumber else { throw GranaryError.schemaReplaced }
        var catalog = found.catalog
        for keyspace in catalog.droppedKeyspaces { try writer.deleteAll(in: keyspace) }
        catalog.dropped = nil
        try Meta.write(catalog.json(), Meta.catalog, writer)
        try writer.commit()
    }

    /// Fills indexes, and looks for duplicates in those that become unique. Reports the number of records read.
    ///
    /// - Throws: `uniqueness`, `cancelled`.
    private static func makeIndexes(
        _ added: [(table: Table, index: Int)], tightening tightened: [(table: Table, index: Int)],
        _ writer: any KeyValueWriter
    ) throws {
        guard let last = tightened.last ?? added.last else { return }
        var counter = try RecordCounter {
            try (added + tightened).reduce(0) { try $0 + writer.count(in: $1.table.keyspace) }
        }
        do {
            for (table, index) in added {
                try counter.tell(table.entity)
                let filling = IndexFilling(table, table.indexes[index], writer)
                filling.counter = counter
                try filling.run()
                counter = filling.counter ?? counter
            }
            for (table, index) in tightened {
                try counter.tell(table.entity)
                let check = UniqueIndexCheck(table, table.indexes[index], writer)
                check.counter = counter
                if let error = try check.duplicates().error { throw error }
                counter = check.counter ?? counter
            }
            try counter.tell(last.table.entity)
        } catch let error as GranaryError where error.code == .cancelled {
            try LongWork.checkCancellation()
            throw error
        }
    }

    /// Writes the to-many relationships of a program into the stored schema, if they differ. Other processes that have
    /// the store open are not affected, because nothing that they read or write depends on the relationships. For the
    /// same reason a busy or full store is opened without this: the next opening tries again.
    private static func writeRelationships(
        of schema: Schema, _ engine: any OrderedKeyValueEngine, _ found: Schema
    ) throws {
        guard found.declaringRelationships(of: schema) != nil else { return }
        do {
            let writer = try engine.beginWrite()
            defer { writer.end() }
            // Another process may have changed the schema in the meantime.
            guard let stored = try description(writer, engine.kind)?.schema,
                let changed = stored.declaringRelationships(of: schema)
            else { return }
            try Meta.write(changed.json(), Meta.schema, writer)
            try writer.commit()
            LongWork.current?.note(SchemaDifference(from: stored, to: changed).changes)
        } catch let error as GranaryError where error.code == .busy || (error.code == .full && !engine.hasMoreRoom) {
            return
        }
    }
}
