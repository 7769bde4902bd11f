import Foundation
import Granary
import GranaryLMDB
import GranaryMemory
import GranarySQLite

/// A kind of store that the pages' code runs on.
enum Kind: String, CaseIterable, Sendable {
    case sqlite, lmdb, memory
}

/// Runs a test on a stack for the records of most pages, in a folder of its own.
func withMusic<T>(
    _ kind: Kind, history: HistoryPolicy = .none, isolation: isolated (any Actor)? = #isolation,
    _ body: (Stack) async throws -> T
) async throws -> T {
    try await withStack(kind, Schema(Artist.self, Song.self), history: history, body)
}

/// Runs a test on a stack for any records, in a folder of its own.
func withStack<T>(
    _ kind: Kind, _ schema: Schema, history: HistoryPolicy = .none, isolation: isolated (any Actor)? = #isolation,
    _ body: (Stack) async throws -> T
) async throws -> T {
    try await withFolder { folder in
        let url = folder.appending(path: "Music.granary")
        let stack =
            switch kind {
            case .sqlite:
                try await Stack(schema, store: .sqlite(at: url, options: .init(durability: .off)), history: history)
            case .lmdb:
                try await Stack(schema, store: .lmdb(at: url, options: .init(durability: .off)), history: history)
            case .memory: try await Stack(schema, store: .inMemory, history: history)
            }
        let result = try await body(stack)
        try await stack.close()
        return result
    }
}

func withFolder<T>(
    isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> T
) async throws -> T {
    let folder = FileManager.default.temporaryDirectory.appending(path: "granary-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

extension Stack {
    /// The names of the artists in the store.
    func names() async throws -> [String] {
        try await read { try $0.fetch(Artist.sorted(by: \.name)).map(\.name) }
    }

    @discardableResult func add(_ artist: Artist) async throws -> Artist { try await write { try $0.insert(artist) } }

    func artist(_ key: Artist.Key) async throws -> Artist? { try await read { try $0.find(Artist.self, key) } }

    /// Three artists, two with songs.
    func fill() async throws {
        try await write { tx in
            let prince = try tx.insert(Artist(name: "Prince", rating: 5))
            let nina = try tx.insert(Artist(name: "Nina Simone", rating: 4.2))
            try tx.insert(Artist(name: "The Nobodies"))
            try tx.insert([
                Song(title: "Kiss", plays: 9, artist: Ref(prince)), Song(title: "1999", plays: 3, artist: Ref(prince)),
                Song(title: "Sinnerman", plays: 2, artist: Ref(nina)),
            ])
        }
    }

    func titles() async throws -> [String] { try await read { try $0.fetch(Song.all).map(\.title) } }
}
