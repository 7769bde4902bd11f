public import GranaryCore
import GranaryFormats
import GranaryPlatform

extension Stack {
    /// Imports objects as records of a type, in a transaction of its own; see ``Context/import(_:as:with:)-(_,R.Type,_)``.
    ///
    /// The records are not held in memory: ask for them afterwards.
    ///
    /// ```swift
    /// let report = try await stack.import(artists, as: Artist.self)
    /// ```
    ///
    /// It takes its turn to write when the first batch has been read, and keeps it to the end: other writers wait while the
    /// source is read.
    ///
    /// - Throws: What is wrong with the first record that cannot be imported; `cancelled` if the task is cancelled, which is
    ///   asked before each batch, and ends the wait for an asynchronous sequence. Nothing is imported then.
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

    /// The work runs on threads without a task: a flag tells them that the task is cancelled, and one that waits for bytes is
    /// woken.
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
            return try await write(as: "import") { tx in
                try StreamCancellation.$current.withValue(streams) { try begun.finish(in: tx) }
            }
        } onCancel: {
            cancellation.set()
            streams.cancel()
        }
    }

    /// Imports as ``import(_:as:with:)-(_,R.Type,_)`` does, blocking the calling thread.
    @discardableResult public func importNow<R: Record>(
        _ source: some ImportSource, as type: R.Type, with importer: Importer = Importer()
    ) throws -> ImportReport {
        try importNow(source, as: R.entityName, with: importer)
    }

    /// Imports objects as records of an entity without a Swift type, blocking the calling thread.
    @discardableResult public func importNow(
        _ source: some ImportSource, as entity: String, with importer: Importer = Importer()
    ) throws -> ImportReport {
        let begun = try BegunImport(source, entity, importer, in: schema, until: CancellationFlag())
        defer { begun.end() }
        return try write(as: "import") { try begun.finish(in: $0) }
    }
}

/// An import whose first batch is read before its turn to write comes, so that no writer waits for a source that has not begun.
// @unchecked: it is made on one thread and finished on another, which begins when that has ended.
private final class BegunImport: @unchecked Sendable {
    private let run: ImportRun
    private let batches: BatchesAhead

    init(
        _ source: some ImportSource, _ entity: String, _ importer: Importer, in schema: Schema,
        until cancellation: CancellationFlag
    ) throws {
        run = try ImportRun(importer, entity, in: schema, keepsKeys: false, until: cancellation)
        batches = try run.batches(of: source)
        try batches.readFirst()
    }

    func end() { batches.end() }

    func finish(in transaction: Transaction) throws -> ImportReport {
        try transaction.undone(if: run.importer.isDryRun) { try run.run(batches, in: transaction) }
        return run.report
    }
}

extension Transaction {
    /// Imports all that a source has; for who has the turn to write already.
    func importAll(
        _ source: some ImportSource, _ entity: String, _ importer: Importer, until cancellation: CancellationFlag
    ) throws -> ImportReport {
        let run = try ImportRun(importer, entity, in: schema, keepsKeys: false, until: cancellation)
        try undone(if: importer.isDryRun) { try run.run(run.batches(of: source), in: self) }
        return run.report
    }
}
