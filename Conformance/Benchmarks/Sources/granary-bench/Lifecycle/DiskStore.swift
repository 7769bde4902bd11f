import Foundation
import GranaryCore
import GranaryLMDB
import GranarySQLite

/// Granary's stores that keep files.
enum DiskStore: String, CaseIterable {
    case sqlite
    case lmdb

    /// Opens the store at a path. LMDB does not check a whole file that was closed cleanly: that check is another matter.
    func open(_ schema: Schema, _ path: String, _ migration: MigrationPolicy) throws -> Stack {
        let place = URL(fileURLWithPath: path)
        switch self {
        case .sqlite: return try Stack(schema, store: .sqlite(at: place), migration: migration)
        case .lmdb:
            return try Stack(schema, store: .lmdb(at: place, options: .init(verify: .automatic)), migration: migration)
        }
    }

    /// Copies a store into a new one of the same kind.
    func copy(_ stack: Stack, to path: String) throws {
        let place = URL(fileURLWithPath: path)
        switch self {
        case .sqlite: try waiting { try await stack.copy(to: .sqlite(at: place)).close() }
        case .lmdb: try waiting { try await stack.copy(to: .lmdb(at: place)).close() }
        }
    }
}
