public import GranaryCore
import GranaryFormats
import GranaryPlatform

extension Stack {
    /// Imports objects as records of a type, in a transaction of its own; see
    /// ``Context/import(_:as:with:)-(_,R.Type,_)``.
    ///
    /// The records are not held in memory: fetch them afterwards.
    ///
    /// ```swift
    /// let report = try await stack.import(artists, as: Artist.self)
    /// ```
    ///
    /// It takes its turn to write when the first batch has been read, and keeps it to the end: other writers wait while
    /// the source is read. With ``ImportCommits/every(_:)`` it does so for each part of the source.
    ///
    /// - Throws: The error of the first record that cannot be imported; `cancelled` if the task is cancelled. This is
    ///   checked before each batch, and also ends the wait for an asynchronous sequence. After an error nothing is
    ///   imported, except parts that are already committed: see ``GranaryError/importReport``.
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

    /// Imports several lists of one source, each as records of its entity, in a transaction of its own, as the same
    /// call of a context does.
    ///
    /// ```swift
    /// try await stack.import(.json(.file("shop.json")), as: ["artists": "Artist", "songs": "Song"])
    /// ```
    @discardableResult public func `import`(
        _ source: some ImportSource, as roots: KeyValuePairs<ImportPath, String>, with importer: Importer = Importer()
    ) async throws -> ImportReport {
        try importer.checkRoots()
        let rooted = try RootedSource(source, roots, in: schema)
        return try await importAll(rooted, schema.entities[rooted.firstEntity].name, importer)
    }

    /// The work runs on threads without a task. A flag tells them that the task is cancelled, and a thread that waits
    /// for bytes is woken.
    private func importAll(
        _ source: some ImportSource, _ entity: String, _ importer: Importer
    ) async throws -> ImportReport {
        let (cancellation, streams) = (CancellationFlag(), StreamCancellation())
        return try await withTaskCancellationHandler {
            let thread = BlockingThreads(limit: 1)
            defer { thread.stop() }
            let begun = try await thread.value { [schema] in
                try StreamCancellation.$current.withValue(streams) {
                    try BegunImport(source, entity, importer, in: schema, until: cancellation)
                }
            }
            defer { begun.end() }
            do {
                while try await write(
                    as: "import",
                    { tx in
                        try StreamCancellation.$current.withValue(streams) { try begun.part(in: tx) }
                    })
                {
                    begun.didCommit(in: self)
                    try await thread.value {
                        try StreamCancellation.$current.withValue(streams) { try begun.readNext() }
                    }
                }
            } catch let error as GranaryError {
                throw begun.withReport(error)
            }
            return begun.didCommit(in: self, isComplete: true)
        } onCancel: {
            cancellation.set()
            streams.cancel()
        }
    }
}

extension Blocking where Base == Stack {
    /// Imports objects as records of a type: as ``Stack/import(_:as:with:)-(_,R.Type,_)``.
    @discardableResult public func `import`<R: Record>(
        _ source: some ImportSource, as type: R.Type, with importer: Importer = Importer()
    ) throws -> ImportReport {
        try `import`(source, as: R.entityName, with: importer)
    }

    /// Imports objects as records of an entity without a Swift type: as ``Stack/import(_:as:with:)-(_,String,_)``.
    @discardableResult public func `import`(
        _ source: some ImportSource, as entity: String, with importer: Importer = Importer()
    ) throws -> ImportReport {
        let begun = try BegunImport(source, entity, importer, in: base.schema, until: CancellationFlag())
        defer { begun.end() }
        do {
            while try write(as: "import", { try begun.part(in: $0) }) {
                begun.didCommit(in: base)
                try begun.readNext()
            }
        } catch let error as GranaryError {
            throw begun.withReport(error)
        }
        return begun.didCommit(in: base, isComplete: true)
    }
}

extension Blocking where Base == Stack {
    /// Imports several lists of one source, each as records of its entity, as the same call of the stack does.
    @discardableResult public func `import`(
        _ source: some ImportSource, as roots: KeyValuePairs<ImportPath, String>, with importer: Importer = Importer()
    ) throws -> ImportReport {
        try importer.checkRoots()
        let rooted = try RootedSource(source, roots, in: base.schema)
        return try `import`(rooted, as: base.schema.entities[rooted.firstEntity].name, with: importer)
    }
}

/// An import whose first batch is read before its turn to write, so that writers do not wait for the source to begin.
// @unchecked: threads use it one after the other; each begins when the previous one has ended.
private final class BegunImport: @unchecked Sendable {
    private let run: ImportRun
    private let batches: BatchesAhead
    private let entity: String
    private let watch = Stopwatch()

    init(
        _ source: some ImportSource, _ entity: String, _ importer: Importer, in schema: Schema,
        until cancellation: CancellationFlag
    ) throws {
        self.entity = entity
        run = try ImportRun(importer, entity, in: schema, keepsKeys: false, until: cancellation)
        run.ownsTransactions = true
        batches = try run.batches(of: source)
        try batches.readNext()
    }

    func end() { batches.end() }

    /// Reads the next batch, so that no writer waits for it.
    func readNext() throws { try batches.readNext() }

    /// Imports the objects of one commit. Returns whether there may be more.
    func part(in transaction: Transaction) throws -> Bool {
        var hasMore = false
        try transaction.undone(if: run.importer.isDryRun) {
            hasMore = try run.run(batches, upTo: run.importer.commitSize, in: transaction)
        }
        return hasMore
    }

    /// Notes that the imported objects are committed. Returns the report.
    ///
    /// - Parameter isComplete: Whether this was the last commit.
    @discardableResult func didCommit(in stack: Stack, isComplete: Bool = false) -> ImportReport {
        defer {
            stack.noteImport(
                ImportProgress(
                    entity: entity, objects: run.report.objects, seconds: watch.seconds, isComplete: isComplete))
        }
        guard !run.importer.isDryRun else { return run.report }
        run.didCommit()
        if run.importer.commits != .once { run.importer.progress?(run.report) }
        return run.report
    }

    /// The error with the report of what was committed before it.
    func withReport(_ error: GranaryError) -> GranaryError {
        run.account.committedReport.map(error.interrupting) ?? error
    }
}

extension Transaction {
    /// Imports all objects of a source, for callers that already have the turn to write.
    package func importAll(
        _ source: some ImportSource, _ entity: String, _ importer: Importer, until cancellation: CancellationFlag
    ) throws -> ImportReport {
        guard importer.commits == .once else { throw ImportRun.commitsElsewhere() }
        let run = try ImportRun(importer, entity, in: schema, keepsKeys: false, until: cancellation)
        try undone(if: importer.isDryRun) { try run.run(run.batches(of: source), in: self) }
        return run.report
    }
}
