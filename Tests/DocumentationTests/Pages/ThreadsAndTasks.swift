import Granary

/// Counts in two reads, at the same time. A commit may come between them.
func countApart(_ stack: Stack) async throws -> (artists: Int, songs: Int) {
    async let artists = countArtists(stack)
    async let songs = countSongs(stack)
    return try await (artists: artists, songs: songs)
}

private func countArtists(_ stack: Stack) async throws -> Int { try await stack.read { try $0.count(Artist.all) } }
private func countSongs(_ stack: Stack) async throws -> Int { try await stack.read { try $0.count(Song.all) } }

/// Counts in one read: both numbers are of the same state.
func countTogether(_ stack: Stack) async throws -> (artists: Int, songs: Int) {
    try await stack.read { snapshot in
        (artists: try snapshot.count(Artist.all), songs: try snapshot.count(Song.all))
    }
}

/// Adds an artist, and counts the artists outside and inside of the transaction.
func addAndCount(_ name: String, to stack: Stack) throws -> (outside: Int, inside: Int) {
    try stack.blocking.write { tx in
        try tx.insert(Artist(name: name))
        let outside = try stack.blocking.read { try $0.count(Artist.all) }  // the last committed state
        return (outside: outside, inside: try tx.count(Artist.all))
    }
}

/// Reads, and throws `cancelled` if that takes longer than a limit.
func answer<T: Sendable>(
    of stack: Stack, within limit: Duration, _ body: @escaping @Sendable (Snapshot) throws -> T
) async throws -> T {
    try await withThrowingTaskGroup(of: T.self) { group in
        group.addTask { try await stack.read(body) }
        group.addTask {
            try await Task.sleep(for: limit)
            throw GranaryError(.cancelled, "The read took longer than \(limit). Ask for less, or set a longer limit.")
        }
        guard let result = try await group.next() else { throw CancellationError() }
        group.cancelAll()
        return result
    }
}
