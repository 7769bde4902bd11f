import Foundation
import Granary
import GranaryLMDB

/// Opens the app's store where the platform keeps an application's data.
func openNamed() async throws -> Stack {
    try await Stack(
        Schema(Artist.self, Song.self), store: .lmdb(named: "Music", options: .init(isExcludedFromBackup: true)))
}

/// Deletes what is old, and gives its space back to the file system.
func tidyUp(_ url: URL) async throws {
    let stack = try await Stack(
        Schema(Artist.self, Song.self), store: .lmdb(at: url), longestRead: .seconds(10))
    try await stack.write { tx in try Artist.where { $0.rating < 1 }.deleteAll(in: tx) }
    try await stack.compact()
    try await stack.close()
}
