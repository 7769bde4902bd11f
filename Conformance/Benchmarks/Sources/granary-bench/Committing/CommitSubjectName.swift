import ArgumentParser
import Foundation
import GranaryCore

enum CommitSubjectName: String, CaseIterable, ExpressibleByArgument {
    case granarySQLite = "sqlite"
    case granarySQLiteOff = "sqlite-ungrouped"
    case granarySQLiteRelaxed = "sqlite-relaxed"
    case granaryLMDB = "lmdb"
    case granaryLMDBOff = "lmdb-ungrouped"
    case granaryLMDBRelaxed = "lmdb-relaxed"
    case granaryMemory = "memory"
    case grdb
    // After Granary, which then is the first to use the libraries and sets them up as it does in programs.
    case rawSQLite = "raw-sqlite"
    case rawSQLiteGrouped = "raw-sqlite-grouped"
    case rawLMDB = "raw-lmdb"
    case rawLMDBGrouped = "raw-lmdb-grouped"

    /// Whether it writes one record a transaction on one thread, however many tasks there are.
    var isAlone: Bool { self == .rawSQLite || self == .rawLMDB }

    /// What its rate is compared with.
    var yardstick: CommitSubjectName? {
        switch self {
        case .granaryLMDB, .granaryLMDBOff, .granaryLMDBRelaxed, .rawLMDB, .rawLMDBGrouped: .rawLMDB
        case .granaryMemory: nil
        default: .rawSQLite
        }
    }

    func make(folder: String) throws -> any CommitSubject {
        let place = URL(fileURLWithPath: folder + "/tracks")
        let schema = Schema(Track.self)
        switch self {
        case .granarySQLite: return GranaryCommits(try Stack(schema, store: .sqlite(at: place)))
        case .granarySQLiteOff: return GranaryCommits(try Stack(schema, store: .sqlite(at: place), groupCommit: .off))
        case .granarySQLiteRelaxed: return GranaryCommits(try Stack(schema, store: .sqlite(at: place)), .relaxed)
        case .granaryLMDB: return GranaryCommits(try Stack(schema, store: .lmdb(at: place)))
        case .granaryLMDBOff: return GranaryCommits(try Stack(schema, store: .lmdb(at: place), groupCommit: .off))
        case .granaryLMDBRelaxed: return GranaryCommits(try Stack(schema, store: .lmdb(at: place)), .relaxed)
        case .granaryMemory: return GranaryCommits(try Stack(schema, store: .inMemory))
        case .grdb: return try GRDBCommits(folder)
        case .rawSQLite: return RawCommits(try RawSQLiteSubject(folder: folder), isGrouped: false)
        case .rawSQLiteGrouped: return RawCommits(try RawSQLiteSubject(folder: folder), isGrouped: true)
        case .rawLMDB: return RawCommits(try RawLMDBSubject(folder: folder), isGrouped: false)
        case .rawLMDBGrouped: return RawCommits(try RawLMDBSubject(folder: folder), isGrouped: true)
        }
    }
}
