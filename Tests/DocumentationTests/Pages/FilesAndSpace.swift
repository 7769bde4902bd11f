import Foundation
import Granary
import GranaryLMDB

/// Deletes what is old, and gives its space back to the file system.
func tidyUp(_ url: URL) async throws {
    let stack = try await Stack(
        Schema(Artist.self, Song.self), store: .lmdb(at: url), longestRead: .seconds(10))
    try await stack.write { tx in try tx.deleteAll(Artist.where { $0.rating < 1 }) }
    try await stack.compact()
    try await stack.close()
}
