import Foundation
import Granary
import GranarySQLite

func openWithHistory(_ url: URL) async throws -> Stack {
    let week = Duration.seconds(7 * 86_400)
    return try await Stack(Schema(Artist.self, Song.self), store: .sqlite(at: url), history: .recent(week))
}

/// Kept between runs, in a file of your own.
struct Upload: Codable {
    var token: HistoryToken

    /// Sends what others than the synchronisation itself have changed.
    mutating func run(_ stack: Stack, send: (Artist) async throws -> Void) async throws {
        let (next, changed) = try await stack.read { [token = self.token] snapshot in
            var changed: Set<Artist.Key> = []
            for commit in try snapshot.changes(since: token, by: { $0 != "sync" }) {
                changed.formUnion(try commit.inserted(Artist.self) ?? [])
                changed.formUnion(try commit.updated(Artist.self)?.map { $0.key } ?? [])
            }
            return (snapshot.historyToken, try snapshot.find(Artist.self, changed.sorted()))
        }
        for artist in changed { try await send(artist) }
        token = next
    }

    /// What is received is written under the name that `run` leaves out.
    func receive(_ artist: Artist, into stack: Stack) async throws {
        try await stack.write(as: "sync") { tx in try tx.upsert(artist) }
    }
}
