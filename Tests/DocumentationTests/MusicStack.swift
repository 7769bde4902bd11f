import Foundation
import Granary
import GranaryLMDB
import GranaryMemory
import GranarySQLite

/// A kind of store that the pages' code runs on.
enum Kind: String, CaseIterable, Sendable {
    case sqlite, lmdb, memory
}

/// Runs a test on a stack for the pages' records, in a folder of its own.
func withMusic<T>(
    _ kind: Kind, history: HistoryPolicy = .none, isolation: isolated (any Actor)? = #isolation,
    _ body: (Stack) async throws -> T
) async throws -> T {
    try await withFolder { folder in
        let url = folder.appending(path: "Music.granary")
        let schema = Schema(Artist.self, Song.self)
        let stack =
            switch kind {
            case .sqlite: try await Stack(schema, store: .sqlite(at: url, durability: .off), history: history)
            case .lmdb: try await Stack(schema, store: .lmdb(at: url, durability: .off), history: history)
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

    func titles() async throws -> [String] { try await read { try $0.fetch(Song.all).map(\.title) } }
}
