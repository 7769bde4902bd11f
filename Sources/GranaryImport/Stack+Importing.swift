public import GranaryCore

extension Stack {
    /// Imports objects as records of a type, in a transaction of its own; see ``Context/import(_:as:with:)-(_,R.Type,_)``.
    ///
    /// The records are not held in memory: ask for them afterwards.
    ///
    /// ```swift
    /// let report = try await stack.import(artists, as: Artist.self)
    /// ```
    ///
    /// - Throws: What is wrong with the first record that cannot be imported; nothing is imported then.
    @discardableResult public func `import`<R: Record>(
        _ source: some ImportSource, as type: R.Type, with importer: Importer = Importer()
    ) async throws -> ImportReport {
        try await write(as: "import") { try $0.importAll(source, R.entityName, importer) }
    }

    /// Imports objects as records of an entity without a Swift type.
    @discardableResult public func `import`(
        _ source: some ImportSource, as entity: String, with importer: Importer = Importer()
    ) async throws -> ImportReport {
        try await write(as: "import") { try $0.importAll(source, entity, importer) }
    }

    /// Imports objects as records of a type, blocking the calling thread.
    @discardableResult public func `import`<R: Record>(
        _ source: some ImportSource, as type: R.Type, with importer: Importer = Importer()
    ) throws -> ImportReport {
        try write(as: "import") { try $0.importAll(source, R.entityName, importer) }
    }

    /// Imports objects as records of an entity without a Swift type, blocking the calling thread.
    @discardableResult public func `import`(
        _ source: some ImportSource, as entity: String, with importer: Importer = Importer()
    ) throws -> ImportReport {
        try write(as: "import") { try $0.importAll(source, entity, importer) }
    }
}

extension Transaction {
    fileprivate func importAll(
        _ source: some ImportSource, _ entity: String, _ importer: Importer
    ) throws -> ImportReport {
        let run = try ImportRun(importer, entity, in: schema, keepsKeys: false)
        try undone(if: importer.isDryRun) { try run.run(try source.makeReader(run.layout()), in: self) }
        return run.report
    }
}
