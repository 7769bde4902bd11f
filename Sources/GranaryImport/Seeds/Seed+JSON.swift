public import Foundation
public import GranaryCore
import GranaryFormats
import GranaryMemory
import GranaryPlatform

extension Seed {
    /// JSON as a seed: a file that is an object of lists, one for each entity, or a folder with a file for each entity.
    ///
    /// ```swift
    /// // Catalogue.json: {"Artist": [{"id": 1, "name": "Nina Simone"}], "Song": [{"title": "Sinnerman", "artist": 1}]}
    /// let stack = try await Stack(schema, store: .sqlite(at: url), seed: .json(catalogue))
    /// ```
    ///
    /// The files of a folder are named by their entities: `Artist.json`, `Song.jsonl`, `Label.csv`, each perhaps with `.gz`. Files
    /// with other ends of their names are left alone.
    ///
    /// - The objects become records as those of an import do, in any order: one may refer to what comes later.
    /// - A value that cannot be taken is an error, and so is a key that means nothing, unless the importer reports failures or
    ///   is not strict. Of two objects of one record the later one adds to the earlier.
    /// - Everything is read, converted and checked before anything is created, in a store in memory: for seeds beyond the
    ///   memory of a device use `.store(provider)`.
    /// - It throws `notAStore` if there is nothing at the URL, `invalidInput` for what is not JSON or not such an object, `unknownEntity`
    ///   for a list or file of an entity that the schema does not have, and what an import throws, with the place in the seed:
    ///   `$.Artist[3].name`.
    ///
    /// - Parameter importer: How objects become records; by default with ``MissingKeyPolicy/create``: an object without a key is a new
    ///   record; and ``Importer/isStrict``. Its ``Importer/root``, ``Importer/isKeyed``, ``Importer/choose``, ``Importer/commits``,
    ///   ``Importer/start`` and ``Importer/isDryRun`` are not used; mappings for entities are in ``Importer/mappings``.
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
        importer.choose = { _, place in place.root?.steps.first.flatMap(SeedObjects.entity) }
        let work = LongWork.current
        let total = source.count
        if let total, let tell = work?.onProgress {
            // Each object is read, and its record is copied.
            let own = importer.progress
            importer.progress = { report in
                own?(report)
                let read = min(report.objects, total)
                tell(StoreProgress(entity: first.path, records: read, total: 2 * total))
            }
        }
        let scratch = MemoryStoreProvider.inMemory(named: UUID().uuidString)
        let stack = try Stack(schema, store: scratch)
        try stack.write(as: "seed") { [importer] tx in
            let cancellation = work?.cancellation ?? CancellationFlag()
            let report = try tx.importAll(source, first.name, importer, until: cancellation)
            // Nobody would read the report: a value that is left out is an error.
            if importer.failures == .throw, let issue = report.issues.first { throw issue.error.at(issue.path) }
        }
        let contents = try Seed.store(scratch).contents(for: schema, migration: .refuse)
        var seeding = StoreContents(schema: contents.schema) { new, old in
            // The store in memory is there as long as the stack.
            try withExtendedLifetime(stack) {
                let part = LongWork.current.map { $0.part(after: total ?? 0, before: 0) } ?? LongWork()
                try part.run { try contents.fill(new, replacing: old) }
            }
        }
        seeding.seed = SeedIdentity(kind: "json", content: try SeedObjects.checksum(url))
        return seeding
    }
}

/// The objects of a seed, each with its entity as the root of its place.
private struct SeedObjects: ImportSource {
    private let parts: [(entity: String, source: any ImportSource)]
    /// How many there are; nil if they must be read to be counted.
    private(set) var count: Int?

    init(_ url: URL, _ schema: Schema) throws {
        var isFolder: ObjCBool = false
        guard url.isFileURL, FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw GranaryError(
                .notAStore, "The seed \(url.path) does not exist. Check its path; the store was not created.")
        }
        if isFolder.boolValue {
            parts = try SeedObjects.files(in: url)
            guard !parts.isEmpty else {
                throw GranaryError(
                    .notAStore,
                    "The folder \(url.path) has no file of a seed, such as \(schema.entities.first?.name ?? "Artist").json. Check its path; the store was not created."
                )
            }
        } else {
            let lists = try SeedObjects.lists(in: url)
            parts = lists.map { ($0.entity, $0.source) }
            count = lists.reduce(0) { $0 + $1.count }
        }
        for part in parts { _ = try schema.position(ofEntity: part.entity) }
    }

    static func entity(_ step: ImportPath.Step) -> String? {
        guard case .key(let name) = step else { return nil }
        return name
    }

    /// A checksum of the file, or of the files of a folder with their names.
    static func checksum(_ url: URL) throws -> String {
        var sum: UInt64 = 0
        do {
            let names = try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
            for file in names.map({ $0.filter(ImportInput.isNamed).map { url.appending(path: $0) } }) ?? [url] {
                if names != nil {
                    sum = Array(file.lastPathComponent.utf8).withUnsafeBytes { hash64($0, seed: sum) }
                }
                let handle = try FileHandle(forReadingFrom: file)
                defer { try? handle.close() }
                while let chunk = try handle.read(upToCount: 1 << 20), !chunk.isEmpty {
                    sum = chunk.withUnsafeBytes { hash64($0, seed: sum) }
                }
            }
        } catch {
            throw GranaryError(.io, "The seed \(url.path) cannot be read. Check its permissions and the disk.")
        }
        return String(sum, radix: 16)
    }

    private static func files(in folder: URL) throws -> [(entity: String, source: any ImportSource)] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().compactMap { name in
            let file = folder.appending(path: name)
            guard let entity = name.split(separator: ".").first, ImportInput.isNamed(name) else { return nil }
            return (String(entity), file)
        }
    }

    private static func lists(in file: URL) throws -> [(entity: String, source: any ImportSource, count: Int)] {
        var reader = try JSONReader(.file(file.path), JSONOptions())
        guard try reader.nextDocument() else { throw unfit(file, "is empty") }
        var packer = ItemPacker()
        let value = try packer.pack(try reader.next(), from: &reader).value()
        guard try !reader.nextDocument() else { throw unfit(file, "has something after its first value") }
        guard case .object(let object) = value else { throw unfit(file, "is \(value.kindName)") }
        return try object.members.map { member in
            guard case .array(let objects) = member.value else {
                throw unfit(file, "has \(member.value.kindName) at \(member.key)")
            }
            return (member.key, member.value, objects.count)
        }
    }

    private static func unfit(_ file: URL, _ what: String) -> GranaryError {
        GranaryError(
            .invalidInput,
            "The seed \(file.path) \(what). Write an object that has an array of objects for each entity, such as {\"Artist\": []}."
        )
    }

    func makeReader(_ layout: ImportLayout) throws -> any ImportReader { SeedReader(parts[...]) }
}

/// The objects of several sources, one source after the other.
private final class SeedReader: ImportReader {
    private var parts: ArraySlice<(entity: String, source: any ImportSource)>
    private var current: (root: ImportPath, reader: any ImportReader)?

    init(_ parts: ArraySlice<(entity: String, source: any ImportSource)>) { self.parts = parts }

    func next() throws -> ImportItem? {
        while true {
            if let root = current?.root, var item = try current?.reader.next() {
                let place = item.place
                item.place.input = ImportPlace.Input(root: root, isTable: place.isTable, file: place.file)
                return item
            }
            guard let part = parts.popFirst() else { return nil }
            current = (ImportPath(keys: [part.entity]), try part.source.makeReader(ImportLayout()))
        }
    }

    func skip(after error: any Error) throws {
        guard current != nil else { throw error }
        try current?.reader.skip(after: error)
    }
}
