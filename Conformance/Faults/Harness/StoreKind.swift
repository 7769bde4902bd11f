import ArgumentParser
import GranaryCore
import GranaryLMDB
import GranarySQLite

/// The stores that are tried.
enum StoreKind: String, CaseIterable, ExpressibleByArgument {
    case sqlite, lmdb
    /// SQLite whose rows carry checksums.
    case checked

    /// Whether damage to what was stored must be noticed.
    var hasChecksums: Bool { self != .sqlite }

    /// The file that holds the records, in its folder.
    var dataFile: String { self == .lmdb ? "data.mdb" : "db.sqlite" }

    /// The time-out for locks is short, because no other process has the store open.
    func open(_ path: String) throws -> Stack {
        switch self {
        case .sqlite: try Stack(World.schema, store: .sqlite(atPath: path, rowChecksums: false, busyTimeout: 1))
        case .checked: try Stack(World.schema, store: .sqlite(atPath: path, rowChecksums: true, busyTimeout: 1))
        case .lmdb: try Stack(World.schema, store: .lmdb(atPath: path, mapSize: 1 << 30, busyTimeout: 1))
        }
    }
}
