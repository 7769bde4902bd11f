import Foundation
import Granary
import GranaryLMDB
import GranaryMemory
import GranarySQLite

/// Opens the store of the app, which begins with the records that the app brings along.
func openSeeded(_ url: URL, bundled: URL) async throws -> Stack {
    try await Stack(
        Schema(Artist.self, Song.self), store: .sqlite(at: url),
        seed: .store(.sqlite(at: bundled, options: .readOnly)))
}

/// The same, from JSON.
func openSeeded(_ url: URL, catalogue: URL) async throws -> Stack {
    try await Stack(Schema(Artist.self, Song.self), store: .sqlite(at: url), seed: .json(catalogue))
}

/// Deletes all that the user has stored.
func logOut(_ stack: Stack) async throws {
    try await stack.reset(to: .empty, reads: .cancel)
}

/// Keeps a backup, a copy of another kind, and a file that any tool reads.
func keepCopies(_ stack: Stack, backup: URL, copy: URL, readable: URL) async throws {
    try await stack.backUp(to: backup)
    try await stack.copy(to: .lmdb(at: copy)).close()
    try await stack.export(to: .sqliteFile(at: readable))
}

/// Copies a store, and shows how far the copy is. `show` shows a bar with a button that cancels it.
func copyAndShow(_ stack: Stack, to url: URL, show: (Progress) -> Void) async throws -> Stack {
    let copying = FollowedWork { told in try await stack.copy(to: .lmdb(at: url), onProgress: told) }
    show(copying.progress)
    for await state in copying { print("\(state.entity): \(state.fraction)") }
    return try await copying.value
}

/// The same of an import.
func importAndShow(_ stack: Stack, _ artists: ImportValue) async throws -> ImportReport {
    let importing = FollowedWork { told in
        var importer = Importer()
        importer.progress = { report in told(StoreProgress(report, entity: "Artist")) }
        return try await stack.import(artists, as: Artist.self, with: importer)
    }
    for await state in importing { print("\(state.records) objects") }
    return try await importing.value
}

/// Looks for damage, and repairs what can be made from the records.
func lookAfter(_ stack: Stack) async throws -> [String] {
    let faults = try await stack.verify()
    if faults.isEmpty { return [] }
    try await stack.rebuildIndexes()
    return try await stack.verify()
}

/// Removes the store. No stack has it open.
func remove(_ url: URL) async throws {
    try await Stack.destroy(.sqlite(at: url))
}

/// Opens a store in memory twice. It has the records of the first time, since `provider` is held.
func openTwice() async throws -> Int {
    let provider = MemoryStoreProvider.inMemory(named: "scratch")
    let first = try await Stack(Schema(Artist.self, Song.self), store: provider)
    try await first.write { tx in _ = try tx.insert(Artist(name: "Nina Simone")) }
    try await first.close()
    let second = try await Stack(Schema(Artist.self, Song.self), store: provider)
    let count = try await second.read { try $0.count(Artist.all) }
    try await second.close()
    try await Stack.destroy(provider)
    return count
}
