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
    /// - Throws: What is wrong with the first record that cannot be imported; `cancelled` if the task is cancelled, which is
    ///   asked before each batch. Nothing is imported then.
    @discardableResult public func `import`<R: Record>(
        _ source: some ImportSource, as type: R.Type, with importer: Importer = Importer()
    ) async throws -> ImportReport {
        try await importAll(source, R.entityName, importer)
    }

    /// Imports objects as records of an entity without a Swift type.
    @discardableResult public func `import`(
        _ source: some ImportSource, as entity: String, with importer: Importer = Importer()
    ) async throws -> ImportReport {
        try await importAll(source, entity, importer)
    }

    /// The write runs on a thread without a task: a flag tells it that the task is cancelled.
    private func importAll(
        _ source: some ImportSource, _ entity: String, _ importer: Importer
    ) async throws -> ImportReport {
        let cancellation = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await write(as: "import") { try $0.importAll(source, entity, importer, until: cancellation) }
        } onCancel: {
            cancellation.set()
        }
    }

    /// Imports objects as records of a type, blocking the calling thread.
    @discardableResult public func `import`<R: Record>(
        _ source: some ImportSource, as type: R.Type, with importer: Importer = Importer()
    ) throws -> ImportReport {
        try write(as: "import") { try $0.importAll(source, R.entityName, importer, until: CancellationFlag()) }
    }

    /// Imports objects as records of an entity without a Swift type, blocking the calling thread.
    @discardableResult public func `import`(
        _ source: some ImportSource, as entity: String, with importer: Importer = Importer()
    ) throws -> ImportReport {
        try write(as: "import") { try $0.importAll(source, entity, importer, until: CancellationFlag()) }
    }
}

extension Transaction {
    func importAll(
        _ source: some ImportSource, _ entity: String, _ importer: Importer, until cancellation: CancellationFlag
    ) throws -> ImportReport {
        let run = try ImportRun(importer, entity, in: schema, keepsKeys: false, until: cancellation)
        try undone(if: importer.isDryRun) { try run.run(try source.makeReader(run.layout()), in: self) }
        return run.report
    }
}
