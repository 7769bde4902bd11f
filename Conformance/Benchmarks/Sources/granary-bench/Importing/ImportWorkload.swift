/// What `import` times, in this order, each on the store as the one before it has left it but for ``csv``.
enum ImportWorkload: String, CaseIterable {
    /// JSON lines into an empty store, as upsert.
    case insert
    /// The same file once more.
    case again
    /// A file of which each tenth city is another.
    case changed
    /// CSV into an empty store.
    case csv

    var wantsEmptyStore: Bool { self == .insert || self == .csv }

    /// How many of the cities are written.
    func writes(of count: Int) -> Int {
        switch self {
        case .insert, .csv: count
        case .again: 0
        case .changed: (count + 9) / 10
        }
    }

    /// The file of JSON lines; nil if the workload has none.
    func lines(_ files: ImportFiles) -> String? {
        switch self {
        case .insert, .again: files.lines
        case .changed: files.changed
        case .csv: nil
        }
    }

    func population(_ files: ImportFiles) -> Int {
        self == .changed ? files.changedPopulation : files.cities.reduce(0) { $0 + $1.population }
    }
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
