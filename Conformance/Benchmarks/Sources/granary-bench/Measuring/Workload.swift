import ArgumentParser

/// What is timed.
enum Workload: String, CaseIterable, ExpressibleByArgument {
    /// All rows in one transaction, its commit included.
    case insert
    /// All rows into an array.
    case fetch
    /// Each row by its key, in shuffled order, in one read.
    case find
    /// Each row by its key, in shuffled order, in a read of its own.
    case findEach = "find-each"
    /// What ``TrackSelection`` says, with its limit and without.
    case filterSort = "filter-sort"
    /// All rows one at a time, a checksum over two fields.
    case stream
}

/// The ways of keeping rows that are compared.
enum SubjectName: String, CaseIterable, ExpressibleByArgument {
    case granarySQLite = "granary-sqlite"
    case granarySQLiteChecksums = "granary-sqlite-checksums"
    case granaryLMDB = "granary-lmdb"
    case granaryMemory = "granary-memory"
    case rawSQLite = "raw-sqlite"
    case rawLMDB = "raw-lmdb"
    case grdb
    case grdbCodable = "grdb-codable"

    func makeBench(rows: Int, folder: String) -> any Bench {
        let folder = folder + "/" + rawValue
        return switch self {
        case .granarySQLite: SubjectBench<GranarySubject<SQLiteChoice>>(rows: rows, folder: folder)
        case .granarySQLiteChecksums: SubjectBench<GranarySubject<SQLiteChecksumsChoice>>(rows: rows, folder: folder)
        case .granaryLMDB: SubjectBench<GranarySubject<LMDBChoice>>(rows: rows, folder: folder)
        case .granaryMemory: SubjectBench<GranarySubject<MemoryChoice>>(rows: rows, folder: folder)
        case .rawSQLite: SubjectBench<RawSQLiteSubject>(rows: rows, folder: folder)
        case .rawLMDB: SubjectBench<RawLMDBSubject>(rows: rows, folder: folder)
        case .grdb: SubjectBench<GRDBSubject>(rows: rows, folder: folder)
        case .grdbCodable: SubjectBench<GRDBCodableSubject>(rows: rows, folder: folder)
        }
    }
}
