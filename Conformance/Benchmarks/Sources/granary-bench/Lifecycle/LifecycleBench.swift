import Foundation
import GranaryCore
import GranaryLMDB
import GranaryMemory

/// Times what happens to a whole store, beside what C does with as many rows.
struct LifecycleBench {
    /// A figure, and what it is compared with; nil where there is only a number of milliseconds to stay below.
    struct Figure {
        var name: String
        var time: Duration
        var yardstick: (name: String, time: Duration)?
        var target: String
    }

    let rows: Int
    let folder: String
    private let clock = ContinuousClock()
    private let held = HeldStores()

    /// Makes what the figures need: stores of few and of many tracks, and a database that C has written.
    init(rows: Int, folder: String) throws {
        self.rows = rows
        self.folder = folder
        for (kind, open) in LifecycleBench.kinds {
            for (size, count) in [("few", 1_000), ("many", rows)] {
                if kind == "memory" { try held.begin("\(folder)/\(kind)-\(size)") }
                let stack = try open(TrackForm.original, "\(folder)/\(kind)-\(size)", .automatic)
                try TrackGenerator().batches(count) { tracks in try stack.blocking.write { _ = try $0.insert(tracks) } }
                try stack.blocking.close()
            }
            if kind == "memory" { try held.begin("\(folder)/\(kind)-hundred") }
            try open(TrackForm.hundred, "\(folder)/\(kind)-hundred", .automatic).blocking.close()
        }
        let raw = try RawSQLiteSubject(folder: folder)
        try TrackGenerator().batches(rows) { try raw.insert($0) }
        try raw.close()
    }

    typealias Opening = @Sendable (Schema, String, MigrationPolicy) throws -> Stack

    static let kinds: [(String, Opening)] = [
        ("sqlite", DiskStore.sqlite.open), ("lmdb", DiskStore.lmdb.open),
        ("memory", { try Stack($0, store: .inMemory(named: $1), migration: $2) }),
    ]

    /// One round of all figures, each on copies of what was made.
    func figures() throws -> [Figure] {
        var figures: [Figure] = []
        let raw = folder + "/raw.sqlite"
        let rewriting = try timed { try RawSQLiteCopy.rewrite(raw, to: scratch("raw-new"), isConverted: true) }
        let copying = try timed { try RawSQLiteCopy.rewrite(raw, to: scratch("raw-copy"), isConverted: false) }
        let backup = try timed { try RawSQLiteCopy.backUp(raw, to: scratch("raw-backup")) }
        for (kind, open) in LifecycleBench.kinds {
            figures += try instantChanges(kind, open)
            let store = try copied("\(kind)-many", open)
            let time = try timed { try open(TrackForm.converted, store, TrackForm.conversion).blocking.close() }
            figures.append(
                Figure(name: "\(kind) rewrite", time: time, yardstick: ("raw C", rewriting), target: "2.0"))
            var hundred: Stack?
            let opening = try timed { hundred = try open(TrackForm.hundred, "\(folder)/\(kind)-hundred", .refuse) }
            try hundred?.blocking.close()
            figures.append(Figure(name: "\(kind) open 100 entities", time: opening, target: "5 ms"))
            figures.append(try verifying(kind, open))
        }
        let source = try LifecycleBench.kinds[0].1(TrackForm.original, "\(folder)/sqlite-many", .refuse)
        let target = URL(fileURLWithPath: scratch("copied"))
        let copied = try timed { try waiting { try await source.copy(to: .lmdb(at: target)).close() } }
        figures.append(Figure(name: "copy sqlite to lmdb", time: copied, yardstick: ("raw C", copying), target: "1.0"))
        let saved = URL(fileURLWithPath: scratch("saved"))
        let backedUp = try timed { try waiting { try await source.backUp(to: saved) } }
        figures.append(Figure(name: "sqlite backup", time: backedUp, yardstick: ("SQLite's", backup), target: "1.3"))
        try source.blocking.close()
        return figures
    }

    /// Each at once, with few rows and with many.
    private func instantChanges(_ kind: String, _ open: Opening) throws -> [Figure] {
        let (few, many) = (try copied("\(kind)-few", open), try copied("\(kind)-many", open))
        let changes = [
            ("add an attribute", TrackForm.grown), ("rename", TrackForm.renamed),
            ("drop an index", TrackForm.unindexed),
        ]
        var closing: (few: Duration, many: Duration) = (.zero, .zero)
        func opened(_ schema: Schema, _ path: String, closing: inout Duration) throws -> Duration {
            var stack: Stack?
            let time = try timed { stack = try open(schema, path, .automatic) }
            closing = try timed { try stack?.blocking.close() }
            return time
        }
        var figures = try changes.map { name, schema in
            let small = try opened(schema, few, closing: &closing.few)
            let large = try opened(schema, many, closing: &closing.many)
            return Figure(name: "\(kind) \(name)", time: large, yardstick: ("1 000 rows", small), target: "1.0")
        }
        // The stack removes the index while it is in use, and closing waits for that.
        figures.append(
            Figure(
                name: "\(kind) give its space back", time: closing.many, yardstick: ("1 000 rows", closing.few),
                target: "-"))
        return figures
    }

    private func verifying(_ kind: String, _ open: Opening) throws -> Figure {
        let stack = try open(TrackForm.original, "\(folder)/\(kind)-many", .refuse)
        defer { try? stack.blocking.close() }
        var count = 0
        let scan = try timed { try stack.blocking.read { try Track.all.forEach(in: $0) { _ in count += 1 } } }
        var faults: [String] = []
        let time = try timed { faults = try stack.blocking.verify() }
        guard faults == [], count == rows else { throw BenchmarkError("The \(kind) store is not whole: \(faults)") }
        return Figure(name: "\(kind) verify", time: time, yardstick: ("a scan", scan), target: "3.0")
    }

    private func timed(_ body: () throws -> Void) throws -> Duration {
        // What was written before is not synced within the time.
        sync()
        let start = clock.now
        try body()
        return clock.now - start
    }

    /// A copy of a store, in place of the one of the round before, that was opened and closed: what a copy costs at its first
    /// opening is not timed.
    private func copied(_ name: String, _ open: Opening) throws -> String {
        let target = scratch(name + "-copy")
        if name.hasPrefix("memory") {
            try held.begin(target)
            let source = try open(TrackForm.original, "\(folder)/\(name)", .refuse)
            try waiting { try await source.copy(to: .inMemory(named: target)).close() }
            try source.blocking.close()
            return target
        }
        try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: target)
        try open(TrackForm.original, target, .refuse).blocking.close()
        return target
    }

    /// A path at which there is nothing.
    private func scratch(_ name: String) -> String {
        let path = "\(folder)/\(name)"
        try? FileManager.default.removeItem(atPath: path)
        return path
    }
}

/// What keeps stores in memory, which otherwise go with their last stack. For one thread.
private final class HeldStores {
    private var providers: [String: MemoryStoreProvider] = [:]

    /// Removes the store that has a name, and keeps the one that is made by that name next.
    func begin(_ name: String) throws {
        let provider = MemoryStoreProvider.inMemory(named: name)
        if try provider.exists() == true { try provider.destroy() }
        providers[name] = provider
    }
}
