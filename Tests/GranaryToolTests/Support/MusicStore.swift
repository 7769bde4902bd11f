import Foundation
import Granary
import GranaryLMDB
import GranarySQLite
import GranaryTool
import TestSupport

/// A store with records of every type, in a folder of its own.
struct MusicStore {
    static let schema = Schema(Artist.self, Song.self, Genre.self, Playlist.self, KeyRecord.self)
    static let playlist = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF") ?? UUID()

    let folder: String
    let kind: StoreKind
    var path: String { "\(folder)/Music.\(kind.rawValue).granary" }

    /// Runs a body with a store that is filled and closed.
    static func with<T>(_ kind: StoreKind, history: HistoryPolicy = .none, _ body: (MusicStore) throws -> T) throws -> T
    {
        let folder = try TemporaryFolder()
        let store = MusicStore(folder: folder.path, kind: kind)
        try store.make(history: history)
        return try withExtendedLifetime(folder) { try body(store) }
    }

    func open(_ schema: Schema = MusicStore.schema, history: HistoryPolicy = .none) throws -> Stack {
        switch kind {
        case .lmdb: try Stack(schema, store: .lmdb(atPath: path), history: history)
        default: try Stack(schema, store: .sqlite(atPath: path), history: history)
        }
    }

    func make(history: HistoryPolicy = .none) throws {
        let stack = try open(history: history)
        try stack.blocking.write(as: "maker") { tx in
            try tx.insert(Genre(code: "rock", name: "Rock"))
            try tx.insert([
                Artist(
                    id: 1, name: "Jimi Hendrix", rating: 4.75,
                    born: Date(timeIntervalSinceReferenceDate: -1_830_384_000.5),
                    code: 7, settings: .object(["loud": .bool(true)]), genre: Ref("rock")),
                Artist(id: 2, name: "Nina \"Eunice\" Simone, née Waymon", code: 8),
                Artist(id: 30, name: "Line\nEnd", rating: -2, code: 9, isActive: false),
            ])
            try tx.insert([
                Song(title: "Fire", plays: 9, place: 1, artist: Ref(1), price: 0.99, length: 2.5),
                Song(title: "", plays: 5, artist: Ref(2), in: "text"),
            ])
            try tx.insert(
                Playlist(
                    id: MusicStore.playlist, name: "Best", cover: Data([0, 255]), link: URL(string: "https://a.b/c"),
                    weight: 12.5))
        }
        try stack.blocking.close()
    }
}
