import Foundation
import Granary
import GranarySQLite

/// Opens a store, and says why it cannot be opened with this schema.
func openOrExplain(_ url: URL) async throws -> Stack? {
    do {
        return try await Stack(Schema(Artist.self, Song.self), store: .sqlite(at: url), migration: .automatic)
    } catch let error as GranaryError where error.code == .schemaMismatch {
        for change in error.schemaDifference?.changes ?? [] { print(change, change.cost) }
        return nil
    }
}
