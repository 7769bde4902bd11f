import ArgumentParser
import GranaryCore
import GranaryLMDB
import GranarySQLite

/// A store that is tried: its engine, and the durability that it is opened with.
struct StoreKind: Hashable, Sendable, CustomStringConvertible, ExpressibleByArgument {
    enum Engine: String, CaseIterable {
        case sqlite, lmdb
        /// SQLite whose rows carry checksums.
        case checked
    }

    let engine: Engine
    var durability = Durability.full

    static let sqlite = StoreKind(engine: .sqlite)
    static let lmdb = StoreKind(engine: .lmdb)
    static let checked = StoreKind(engine: .checked)

    /// The stores whose commits wait for the disk.
    static let full: [StoreKind] = [.sqlite, .lmdb, .checked]
    /// The stores whose commits do not wait for the disk.
    static let others: [StoreKind] = [Durability.relaxed, .off].flatMap { durability in
        [Engine.sqlite, .lmdb].map { StoreKind(engine: $0, durability: durability) }
    }

    /// The word for it on the command line and in the line of a trial: `lmdb`, `lmdb-relaxed`.
    var description: String { durability == .full ? engine.rawValue : "\(engine.rawValue)-\(durability.rawValue)" }

    init(engine: Engine, durability: Durability = .full) { (self.engine, self.durability) = (engine, durability) }

    init?(argument: String) {
        guard let kind = (Self.full + Self.others).first(where: { $0.description == argument }) else { return nil }
        self = kind
    }

    static var allValueStrings: [String] { (full + others).map(\.description) }

    /// Whether damage to what was stored must be noticed.
    var hasChecksums: Bool { engine != .sqlite }

    /// The file that holds the records, in its folder.
    var dataFile: String { engine == .lmdb ? "data.mdb" : "db.sqlite" }

    /// Removes a store that is not open.
    func destroy(_ path: String) throws {
        switch engine {
        case .sqlite, .checked: try SQLiteStoreProvider.sqlite(atPath: path).destroy()
        case .lmdb: try LMDBStoreProvider.lmdb(atPath: path).destroy()
        }
    }

    /// The time-out for locks is short, because no other process has the store open. The history is trimmed by the time of day.
    /// No group of writes ends by time, however slow the machine is.
    func open(_ path: String) throws -> Stack {
        let isChecked = engine == .checked
        return switch engine {
        case .sqlite, .checked:
            try Stack(
                World.schema,
                store: .sqlite(
                    atPath: path,
                    options: .init(durability: durability, rowChecksums: isChecked, busyTimeout: .seconds(1))),
                history: .recent(.seconds(60)), groupCommit: GroupCommit(within: .seconds(1000)))
        case .lmdb:
            try Stack(
                World.schema,
                store: .lmdb(
                    atPath: path, options: .init(durability: durability, mapSize: 1 << 30, busyTimeout: .seconds(1))),
                history: .recent(.seconds(60)), groupCommit: GroupCommit(within: .seconds(1000)))
        }
    }
}

/// What the content of a store may be after its process ended, or the power was lost: the table of the page
/// "Durability and damage", for each ``Durability``.
enum Guarantee {
    /// Every commit that has returned.
    case everyCommit
    /// The content after some commit, whole.
    case earlierCommit
    /// Nothing. The process must live on, and every error be typed.
    case nothing

    static func afterKill(_ durability: Durability) -> Guarantee {
        switch durability {
        case .full, .relaxed: .everyCommit
        case .off: .nothing
        }
    }

    static func afterPowerLoss(_ durability: Durability) -> Guarantee {
        switch durability {
        case .full: .everyCommit
        case .relaxed: .earlierCommit
        case .off: .nothing
        }
    }
}
