public import Foundation
public import GranaryCore
public import GranaryImport
import GranaryMemory

extension Seed {
    /// JSON as a seed: a file that is an object of lists, one for each entity, or a folder with a file for each entity.
    ///
    /// ```swift
    /// // Catalogue.json: {"Artist": [{"id": 1, "name": "Nina Simone"}], "Song": [{"title": "Sinnerman", "artist": 1}]}
    /// let stack = try await Stack(schema, store: .sqlite(at: url), seed: .json(catalogue))
    /// ```
    ///
    /// The files of a folder have the names of their entities: `Artist.json`, `Song.jsonl`, `Label.csv`, with or
    /// without `.gz`. Files with other extensions are ignored.
    ///
    /// - The objects become records as in an import, in any order: an object may refer to a later one.
    /// - A value that cannot be converted is an error, and so is an unknown key, unless the importer reports failures
    ///   or is not strict. If two objects are about one record, the later one adds to the earlier.
    /// - Everything is read, converted and checked in a store in memory before the store is created. The text of the
    ///   files is streamed, a batch of objects at a time, in any order of the entities; a file of lists is read twice,
    ///   the first time to check and count it. So a seed takes as much memory as its records. For seeds beyond the
    ///   memory of a device use `.store(provider)`.
    /// - It throws `notAStore` if nothing exists at the URL, `invalidInput` for anything but JSON of this form,
    ///   `unknownEntity` for a list or file of an entity that the schema does not have, and the errors of an import,
    ///   with the place in the seed: `$.Artist[3].name`.
    ///
    /// - Parameters:
    ///   - url: A file, or a folder of files.
    ///   - importer: How objects become records. By default with ``MissingKeyPolicy/create`` (an object without a key
    ///     is a new record) and ``Importer/isStrict``. Its ``Importer/root``, ``Importer/isKeyed``,
    ///     ``Importer/choose``, ``Importer/commits``, ``Importer/start`` and ``Importer/isDryRun`` are not used;
    ///     mappings for entities are in ``Importer/mappings``.
    public static func json(_ url: URL, with importer: Importer? = nil) -> Seed {
        var making = Importer()
        making.missingKey = .create
        making.isStrict = true
        return Seed(JSONSeed(url: url, importer: importer ?? making))
    }
}

private struct JSONSeed: SeedSource {
    let url: URL
    let importer: Importer

    func contents(for schema: Schema, migration: MigrationPolicy) throws -> StoreContents {
        guard let first = schema.entities.first else { return .empty }
        let source = try SeedObjects(url, schema)
        var importer = importer
        (importer.root, importer.isKeyed, importer.isDryRun) = (nil, false, false)
        (importer.commits, importer.start, importer.target) = (.once, 0, nil)
        importer.choose = { _, place in SeedObjects.entity(at: place) }
        let work = LongWork.current
        let total = source.count
        if let total, let tell = work?.onProgress {
            // Progress has two parts: each object is read, and then its record is copied.
            let own = importer.progress
            importer.progress = { report in
                own?(report)
                let read = min(report.objects, total)
                tell(StoreProgress(entity: first.path, records: read, total: 2 * total))
            }
        }
        let scratch = MemoryStoreProvider.inMemory(named: UUID().uuidString)
        let stack = try Stack(schema, store: scratch)
        try stack.blocking.write(as: "seed") { [importer] tx in
            let cancellation = work?.cancellation ?? CancellationFlag()
            let report = try tx.importAll(source, first.name, importer, until: cancellation)
            // The caller does not get the report, so a value that is left out is an error.
            if importer.failures == .throw, let issue = report.issues.first { throw issue.error.at(issue.path) }
        }
        let contents = try Seed.store(scratch).contents(for: schema, migration: .refuse)
        var seeding = StoreContents(schema: contents.schema) { new, old in
            // The store in memory lives as long as the stack.
            try withExtendedLifetime(stack) {
                let part = LongWork.current.map { $0.part(after: total ?? 0, before: 0) } ?? LongWork()
                try part.run { try contents.fill(new, replacing: old) }
            }
        }
        seeding.seed = SeedIdentity(kind: "json", content: try SeedObjects.checksum(url))
        return seeding
    }
}
