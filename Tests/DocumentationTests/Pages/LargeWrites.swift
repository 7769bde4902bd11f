import Granary

/// Adds songs as their titles come in. At most a thousand are in memory.
func importSongs<Titles: AsyncSequence>(
    _ titles: Titles, of artist: Ref<Artist>, into stack: Stack
) async throws -> Int where Titles.Element == String {
    var piece: [Song] = []
    var count = 0
    for try await title in titles {
        piece.append(Song(title: title, artist: artist))
        if piece.count == 1_000 {
            count += try await add(piece, to: stack)
            piece.removeAll(keepingCapacity: true)
        }
    }
    return try await count + add(piece, to: stack)
}

private func add(_ songs: [Song], to stack: Stack) async throws -> Int {
    try await stack.write(as: "import") { tx in try tx.insert(songs).count }
}
