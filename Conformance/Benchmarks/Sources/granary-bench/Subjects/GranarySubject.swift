import Foundation
import GranaryCore
import GranaryLMDB
import GranaryMemory
import GranarySQLite

/// One of Granary's stores.
protocol StoreChoice {
    static var keepsFiles: Bool { get }
    static func open(_ schema: Schema, folder: URL) throws -> Stack
}

enum SQLiteChoice: StoreChoice {
    static let keepsFiles = true
    static func open(_ schema: Schema, folder: URL) throws -> Stack {
        try Stack(schema, store: .sqlite(at: folder.appendingPathComponent("tracks")))
    }
}

/// With a checksum in each row.
enum SQLiteChecksumsChoice: StoreChoice {
    static let keepsFiles = true
    static func open(_ schema: Schema, folder: URL) throws -> Stack {
        try Stack(
            schema, store: .sqlite(at: folder.appendingPathComponent("tracks"), options: .init(rowChecksums: true)))
    }
}

enum LMDBChoice: StoreChoice {
    static let keepsFiles = true
    static func open(_ schema: Schema, folder: URL) throws -> Stack {
        try Stack(schema, store: .lmdb(at: folder.appendingPathComponent("tracks")))
    }
}

enum MemoryChoice: StoreChoice {
    static let keepsFiles = false
    static func open(_ schema: Schema, folder: URL) throws -> Stack { try Stack(schema, store: .inMemory) }
}

/// Granary as its documentation shows it, with its defaults.
final class GranarySubject<Choice: StoreChoice>: Subject, Sendable {
    typealias Item = Track

    static var keepsFiles: Bool { Choice.keepsFiles }
    let stack: Stack

    init(folder: String) throws {
        stack = try Choice.open(Schema(Track.self), folder: URL(fileURLWithPath: folder))
    }

    func insert(_ items: [Track]) throws {
        try stack.blocking.write { transaction in _ = try transaction.insert(items) }
    }

    func fetch() throws -> [Track] { try stack.blocking.read { try $0.fetch(Track.all) } }

    func find(_ keys: [Int64]) throws -> [Track] { try stack.blocking.read { try $0.find(Track.self, keys) } }

    func findEach(_ keys: [Int64]) throws -> [Track] {
        var tracks: [Track] = []
        for key in keys {
            guard let track = try stack.blocking.read({ try $0.find(Track.self, key) }) else {
                throw BenchmarkError("There is no track \(key).")
            }
            tracks.append(track)
        }
        return tracks
    }

    func filterSort(limit: Int?) throws -> [Track] {
        var query = Track.where { $0.artist >= TrackSelection.firstArtist && $0.artist < TrackSelection.endArtist }
            .where { $0.plays >= TrackSelection.fewestPlays }
            .sorted(by: \.length)
        if let limit { query = query.limit(limit) }
        return try stack.blocking.read { [query] in try $0.fetch(query) }
    }

    func stream(_ body: (Track) throws -> Void) throws {
        try stack.blocking.read { try Track.all.forEach(in: $0, body) }
    }

    func close() throws { try stack.blocking.close() }
}
