/// One way of keeping the catalogue and answering questions about it. All have the same columns and indexes, the same
/// durability and the same cache sizes, and give whole structs.
protocol CatalogueSubject: AnyObject {
    init(folder: String) throws
    /// Inserts all in one transaction.
    func insert(_ artists: [Artist], _ songs: [Song]) throws
    func answer(_ question: Question) throws -> Answer
    /// Deletes the artists up to a key, with their songs, in one transaction.
    func deleteArtists(upTo key: Int64) throws
    /// How the question is answered, in the subject's own words.
    func plan(_ question: Question) throws -> String
    func close() throws
}

/// The subjects that answer queries.
enum CatalogueSubjectName: String, CaseIterable, Sendable {
    case granarySQLite = "granary-sqlite"
    case granaryLMDB = "granary-lmdb"
    case granaryMemory = "granary-memory"
    case rawSQLite = "raw-sqlite"

    func open(in folder: String) throws -> any CatalogueSubject {
        switch self {
        case .granarySQLite: try GranaryCatalogue<SQLiteChoice>(folder: folder)
        case .granaryLMDB: try GranaryCatalogue<LMDBChoice>(folder: folder)
        case .granaryMemory: try GranaryCatalogue<MemoryChoice>(folder: folder)
        case .rawSQLite: try RawSQLiteCatalogue(folder: folder)
        }
    }
}
