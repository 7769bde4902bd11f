import ArgumentParser
import Foundation
import GranaryCore
import GranaryLMDB
import GranaryMemory
import GranarySQLite

/// Does a fixed amount of work with a store, for a tool that counts the instructions: see `Conformance/instructions`.
@main
struct GranaryInstructions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "granary-instructions", abstract: "Does a fixed amount of work with a new store.")

    enum StoreName: String, ExpressibleByArgument { case sqlite, lmdb, memory }

    enum Work: String, ExpressibleByArgument {
        /// A thousand tracks in one transaction.
        case insert
        /// All tracks, a thousand, into an array.
        case fetch
        /// A thousand tracks, each by its key, in one read.
        case find
        /// A hundred tracks, each by its key, in a read of its own.
        case findEach = "find-each"
        /// The hundred tracks of an artist, by the index, ten times.
        case filter
    }

    @Argument(help: "sqlite, lmdb or memory.") var store: StoreName
    @Argument(help: "insert, fetch, find, find-each or filter.") var work: Work
    @Argument(help: "How often the work is done.") var rounds: Int
    @Argument(help: "An empty folder for the store.") var folder: String

    private static let tracks: Int64 = 1000

    func validate() throws {
        guard rounds >= 1 else { throw ValidationError("The work must be done once at least.") }
    }

    func run() throws {
        let stack = try open()
        if work != .insert { try insert(round: 0, into: stack) }
        for round in 0..<rounds {
            let count = try done(round, stack)
            guard count == (work == .findEach ? 100 : Int(Self.tracks)) else {
                throw ValidationError("\(count) tracks were found.")
            }
        }
        try stack.blocking.close()
    }

    private func open() throws -> Stack {
        let place = URL(fileURLWithPath: folder).appendingPathComponent("tracks")
        let schema = Schema(Track.self)
        // Valgrind does not map hundreds of gigabytes.
        let small = LMDBOptions(mapSize: 1 << 28, maximumMapSize: 1 << 28)
        return switch store {
        case .sqlite: try Stack(schema, store: .sqlite(at: place))
        case .lmdb: try Stack(schema, store: .lmdb(at: place, options: small))
        case .memory: try Stack(schema, store: .inMemory)
        }
    }

    private func insert(round: Int, into stack: Stack) throws {
        let first = Int64(round) * Self.tracks + 1
        let tracks = (first..<first + Self.tracks).map { Track(id: $0) }
        try stack.blocking.write { _ = try $0.insert(tracks) }
    }

    /// Does the work once. Returns the number of tracks.
    private func done(_ round: Int, _ stack: Stack) throws -> Int {
        switch work {
        case .insert:
            try insert(round: round, into: stack)
            return Int(Self.tracks)
        case .fetch: return try stack.blocking.read { try $0.fetch(Track.all).count }
        case .find:
            return try stack.blocking.read { snapshot in
                try (1...Self.tracks).count { try snapshot.find(Track.self, $0) != nil }
            }
        case .findEach:
            return try (1...Int64(100)).count { key in
                try stack.blocking.read { try $0.find(Track.self, key) } != nil
            }
        case .filter:
            return try (0..<10).reduce(0) { count, artist in
                try count + stack.blocking.read { try $0.fetch(Track.where { $0.artist == artist }).count }
            }
        }
    }
}
