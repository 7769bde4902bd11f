import GranaryPlatform

// Records are converted while they are written into a new generation of the store's files, which stays invisible until
// it is complete: if the process is killed, or the migration fails, the old generation is unchanged, and the next
// opening removes what was built. `StoreTransfer` counts the written rows and adds up their checksums, and compares
// both with the rows that can be read. Steps with code and SQL come after that, in the same files.

extension SchemaMigration {
    /// Fills the new files of a store.
    ///
    /// - Parameters:
    ///   - old: The store in its present state, opened with its own schema.
    ///   - new: A new store, with the target schema.
    ///   - adjust: Changes the options of the transfer.
    /// - Throws: `range`, `required` with the key of the first record that would lose data; `uniqueness` with the keys
    ///   of records that have the same values; `danglingReference`; `migrationFailed` for a step that throws;
    ///   `cancelled`.
    package func fill(
        _ new: any Store, from old: any Store, adjusting adjust: (inout StoreTransfer) throws -> Void = { _ in }
    ) throws {
        let cancellation = LongWork.current?.cancellation ?? CancellationFlag()
        let reader = try old.beginRead(cancellation)
        defer { reader.end() }
        let other = try old.beginRead(cancellation)
        defer { other.end() }
        var transfer = try StoreTransfer(from: reader, into: new)
        let conversion = RowConversion(self, other)
        if !keepsRows { transfer.convert = conversion.convert }
        transfer.keepsHistory = !changesKeys
        try adjust(&transfer)
        try transfer.run()
        var hasSQL = false
        for step in steps {
            try cancellation.check()
            switch step.kind {
            case .inferred, .records, .release: break
            case .code(let run): try runCode(step.name, run, other, new, keepsHistory: try reader.keepsHistory())
            case .sql(let text):
                guard let engine = new as? any SQLExecuting else { throw SchemaMigration.noSQL(step.name, new.kind) }
                do { try engine.execute(sql: text) } catch { throw MigrationStep.failed(step.name, error) }
                hasSQL = true
            }
        }
        guard hasSQL, let fault = try new.verify().first else { return }
        throw GranaryError(
            .migrationFailed,
            "After the SQL of the migration plan the store does not hold what the schema says: \(fault). The store is as it was. Correct the statements."
        )
    }

    /// - Throws: `unsupported` if a step is not for this kind of store.
    package func requireSteps(for store: any Store) throws {
        for step in steps {
            if case .sql = step.kind, !store.capabilities.has(.rawSQL) {
                throw SchemaMigration.noSQL(step.name, store.kind)
            }
        }
    }

    private static func noSQL(_ name: String, _ kind: String) -> GranaryError {
        GranaryError.unsupported(
            .rawSQL,
            "The step \"\(name)\" of the migration plan is SQL: a \(kind) store lacks \(Capability.rawSQL). Write the step as code."
        )
    }

    private func runCode(
        _ name: String, _ run: (any StoreReader, any StoreWriter) throws -> Void, _ old: any StoreReader,
        _ new: any Store, keepsHistory: Bool
    ) throws {
        let writer = try new.beginWrite()
        defer { writer.end() }
        let recorder = ChangeRecorder()
        if keepsHistory { try writer.record(into: recorder) }
        do { try run(old, writer) } catch { throw MigrationStep.failed(name, error) }
        try writer.prepareCommit()
        if keepsHistory, !recorder.isEmpty {
            // The history continues without a gap.
            try writer.keepHistory(
                HistoryEntry(
                    number: StoredCount.next(after: writer.transactionNumber),
                    time: Date().timeIntervalSinceReferenceDate, author: name,
                    changes: RecordChange.encode(recorder.changes(), writer.schema)))
        }
        _ = try writer.commit()
    }
}

extension StoreReader {
    /// Whether the last commit is in the history.
    fileprivate func keepsHistory() throws -> Bool {
        try transactionNumber > 0 && !history(after: transactionNumber - 1, limit: 1).isEmpty
    }
}

/// A new store that can run SQL statements while it is built.
package protocol SQLExecuting: AnyObject {
    /// Runs statements as one transaction.
    func execute(sql: String) throws
}

extension StoredGeneration {
    /// Carries out the next stage of a migration, if it rewrites records, as a new generation of files: the usual
    /// `migrate` of ``FolderStores``. A plan may have several stages: call it until it returns false.
    ///
    /// - Parameters:
    ///   - schema: The schema of the caller.
    ///   - policy: The policy of the migration.
    ///   - access: With `readOnly` nothing is done.
    ///   - rewritesAll: Whether a change that rewrites no record is made in this way as well: for a store that cannot
    ///     make it in place.
    ///   - stored: The stored schema; nil if there is none.
    ///   - open: Makes a store over the engine, with the stored schema.
    /// - Returns: Whether a stage was carried out; false if the next stage is one that the store makes in place, or if
    ///   there is none.
    /// - Throws: `schemaMismatch` if the policy does not allow a required change; `range`, `required` or `uniqueness`
    ///   with the keys of records that do not fit; `danglingReference`, `migrationFailed`, `unsupported`, `busy`,
    ///   `full`, `cancelled`. Then the live generation stays.
    public func rewrite(
        to schema: Schema, _ policy: MigrationPolicy, access: StoreAccess, rewritesAll: Bool = false,
        stored: (Engine) throws -> Schema?, open: (Engine, Schema) throws -> any Store
    ) throws -> Bool {
        guard let old = try stored(engine),
            let migration = try SchemaMigration(from: old, to: schema, policy, access: access),
            rewritesAll || !migration.isInstant
        else { return false }
        try migration.requireSteps(for: open(engine, old))
        try replace(migration.target) { engine, new, path in
            try migration.fill(new, from: withExternalValues(open(engine, old))) { schema, use in
                try withDraft(schema, in: path, replacing: engine, use)
            }
        }
        LongWork.current?.note(migration)
        return true
    }
}
