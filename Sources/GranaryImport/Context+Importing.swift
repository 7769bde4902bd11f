public import GranaryCore

extension Context {
    /// Imports objects as records of a type. It finds existing records by their keys or unique attributes and updates
    /// them, inserts the other ones, and connects them with the records nested in their objects.
    ///
    /// ```swift
    /// let result = try tx.import(artists, as: Artist.self)
    /// print(result.records.count, result.report.inserted, result.report.updated)
    /// ```
    ///
    /// The result has only the records of this type. If ``Importer/choose`` gives other types too, import by the
    /// entity's name.
    ///
    /// Cost: one look-up for each batch and entity, and one write for each record that changes.
    ///
    /// - Throws: The error of the first record that cannot be imported, with its place in the source; the context is
    ///   then unchanged. An importer that reports failures throws only errors that concern all records. `limit` for
    ///   objects deeper than 512 levels, or deeper than the stack of the thread allows: an import into the stack with
    ///   `await` has 8 MB of it.
    @discardableResult public func `import`<R: Record>(
        _ source: some ImportSource, as type: R.Type, with importer: Importer = Importer()
    ) throws -> ImportResult<R> {
        _ = try entity(of: type)
        let position = try schema.position(ofEntity: R.entityName)
        return try imported(source, R.entityName, importer) { row, entity in
            entity == position ? try R(row: row) : nil
        }
    }

    /// Imports objects as records of an entity without a Swift type.
    ///
    /// If the entity has a record type in the schema, the type's mapping, hooks and validation are used too.
    @discardableResult public func `import`(
        _ source: some ImportSource, as entity: String, with importer: Importer = Importer()
    ) throws -> ImportResult<DynamicRecord> {
        let schema = schema
        return try imported(source, entity, importer) { row, entity in DynamicRecord(schema.entities[entity], row: row)
        }
    }

    /// Imports several lists of one source, each as records of its entity: all or nothing, and with references between
    /// them in any order.
    ///
    /// ```swift
    /// let result = try tx.import(document, as: ["artists": "Artist", "data.songs": "Song"])
    /// for (record, origin) in zip(result.records, result.origins) { print(origin.path, record) }   // $.artists[0] ...
    /// ```
    ///
    /// The lists are imported in the given order. ``Importer/root``, if given, precedes each path, and
    /// ``Importer/isKeyed`` is about each list. ``Importer/mapping`` belongs to the entity of the first one; use
    /// ``Importer/mappings``. Each type's own mapping and hooks are used.
    ///
    /// Cost: the source is read once for each list. A source whose bytes come only once cannot have several.
    ///
    /// - Parameters:
    ///   - source: The source with the lists.
    ///   - roots: The paths to the lists, as ``Importer/root``, and the names of the entities.
    ///   - importer: The options.
    /// - Throws: What an import of one list throws; `typeMismatch` if the source has nothing at a path;
    ///   `invalidQuery` for a `target`, the policy `mirror`, or no roots; `unsupported` for a source that can be read
    ///   only once.
    @discardableResult public func `import`(
        _ source: some ImportSource, as roots: KeyValuePairs<ImportPath, String>, with importer: Importer = Importer()
    ) throws -> ImportResult<DynamicRecord> {
        try importer.checkRoots()
        let rooted = try RootedSource(source, roots, in: schema)
        return try `import`(rooted, as: schema.entities[rooted.firstEntity].name, with: importer)
    }

    private func imported<Output: Sendable>(
        _ source: some ImportSource, _ entity: String, _ importer: Importer,
        _ make: (borrowing Row, Int) throws -> Output?
    ) throws -> ImportResult<Output> {
        guard importer.commits == .once else { throw ImportRun.commitsElsewhere() }
        let run = try ImportRun(importer, entity, in: schema, keepsKeys: true)
        var records: [(record: Output, origin: ImportOrigin)] = []
        try undone(if: importer.isDryRun) {
            try run.run(run.batches(of: source), in: self)
            records = try run.records(in: self, make)
        }
        return ImportResult(records: records.map(\.record), origins: records.map(\.origin), report: run.report)
    }

    /// Runs `body`. If it throws, its changes are undone; if `isUndone`, they are undone in any case.
    func undone(if isUndone: Bool, _ body: () throws -> Void) throws {
        do {
            try savepoint {
                try body()
                if isUndone { throw DryRun() }
            }
        } catch is DryRun {}
    }
}

/// Thrown to undo the changes of a dry run.
private struct DryRun: Error {}

extension ImportRun {
    /// The current records of the source, in its order, without those for which `make` returns nil.
    func records<Output>(
        in context: Context, _ make: (borrowing Row, Int) throws -> Output?
    ) throws -> [(record: Output, origin: ImportOrigin)] {
        let keys = account.keys.sorted { $0.number < $1.number }
        var found: [Int: [StoredValue: Output]] = [:]
        for (entity, keys) in Dictionary(grouping: keys, by: \.entity) {
            let keyPosition = plans.schema.entities[entity].keyPosition
            for part in keys.map(\.key).chunks() {
                let request = FetchRequest(entity: entity, condition: .isOneOf(part, at: keyPosition))
                let cursor = try context.rows(request)
                while let row = try cursor.next() {
                    found[entity, default: [:]][StoredValue(row[keyPosition])] = try make(row, entity)
                }
            }
        }
        return keys.compactMap { key in
            found[key.entity]?[key.key].map { ($0, ImportOrigin(key.place, plans.schema.entities[key.entity].name)) }
        }
    }
}
