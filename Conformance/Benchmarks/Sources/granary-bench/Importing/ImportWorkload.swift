/// What `import` times, in this order, each on the store as the one before it has left it but for those that want an empty one.
enum ImportWorkload: String, CaseIterable {
    /// JSON lines into an empty store, as upsert.
    case insert
    /// The same file once more.
    case again
    /// A file of which each tenth city is another.
    case changed
    /// CSV into an empty store.
    case csv
    /// JSON lines of releases into an empty store: two nested objects each, which others share, and a list of five.
    case nested

    var wantsEmptyStore: Bool { self == .insert || self == .csv || self == .nested }

    /// How many records are written.
    func writes(_ files: ImportFiles) -> Int {
        switch self {
        case .insert, .csv: files.cities.count
        case .again: 0
        case .changed: (files.cities.count + 9) / 10
        case .nested:
            files.releases.count * 6 + Set(files.releases.map(\.label.id)).count
                + Set(files.releases.map(\.genre.id)).count
        }
    }

    /// The file of JSON lines; nil if the workload has none.
    func lines(_ files: ImportFiles) -> String? {
        switch self {
        case .insert, .again: files.lines
        case .changed: files.changed
        case .nested: files.nested
        case .csv: nil
        }
    }

    /// What a store must have after it.
    func content(_ files: ImportFiles) -> ImportedContent {
        switch self {
        case .insert, .again, .csv:
            ImportedContent(count: files.cities.count, sum: files.cities.reduce(0) { $0 + $1.population })
        case .changed: ImportedContent(count: files.cities.count, sum: files.changedPopulation)
        case .nested:
            ImportedContent(
                count: files.releases.count * 5,
                sum: files.releases.reduce(0) { $0 + $1.songs.reduce(0) { $0 + $1.seconds } })
        }
    }
}

/// How many cities a store has and all of their inhabitants; of releases, songs and their seconds.
struct ImportedContent: Equatable {
    var count = 0
    var sum = 0
}

enum ImportSubjectName: String, CaseIterable {
    case granarySQLite = "granary-sqlite"
    case granaryLMDB = "granary-lmdb"
    case granaryMemory = "granary-memory"
    case rawSQLite = "raw-sqlite"
    case serialization = "json-serialization"
    case grdb = "grdb-json-decoder"

    func open(folder: String) throws -> any ImportSubject {
        switch self {
        case .granarySQLite: try GranaryImportSubject<SQLiteChoice>(folder: folder)
        case .granaryLMDB: try GranaryImportSubject<LMDBChoice>(folder: folder)
        case .granaryMemory: try GranaryImportSubject<MemoryChoice>(folder: folder)
        case .rawSQLite: try RawImportSubject(folder: folder)
        case .serialization: try SerializationImportSubject(folder: folder)
        case .grdb: try GRDBImportSubject(folder: folder)
        }
    }
}
