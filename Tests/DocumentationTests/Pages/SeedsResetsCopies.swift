import Foundation
import Granary
import GranaryLMDB
import GranarySQLite

/// Opens the store of the app, which begins with the records that the app brings along.
func openSeeded(_ url: URL, bundled: URL) async throws -> Stack {
    try await Stack(
        Schema(Artist.self, Song.self), store: .sqlite(at: url),
        seed: .store(.sqlite(at: bundled, access: .readOnly)))
}

/// The same, from JSON.
func openSeeded(_ url: URL, catalogue: URL) async throws -> Stack {
    try await Stack(Schema(Artist.self, Song.self), store: .sqlite(at: url), seed: .json(catalogue))
}

/// Nothing of the user stays in the store.
func logOut(_ stack: Stack) async throws {
    try await stack.reset(to: .empty, reads: .cancel)
}

/// Keeps a backup, and a copy that any tool can read.
func keepCopies(_ stack: Stack, backup: URL, readable: URL) async throws {
    try await stack.backUp(to: backup)
    try await stack.copy(to: .sqlite(at: readable)).close()
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
