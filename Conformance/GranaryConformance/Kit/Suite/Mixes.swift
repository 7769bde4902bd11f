package import GranaryCore

/// Two mixes and four tracks, the first of them in the first mix.
package func fillMixes(_ trial: Trial) throws -> (mix: Mix, tracks: [Track]) {
    try trial.open(SuiteSchema.mixes)
    let tracks = (1...6).map { Track(id: $0) }
    try trial.write { tx in
        try tx.insert([Mix(id: 1), Mix(id: 2)])
        try tx.insert(tracks)
        try Mix(id: 1).tracks.add(tracks[0], in: tx)
        try Mix(id: 1).favourites.add(tracks[0], in: tx)
    }
    return (Mix(id: 1), tracks)
}

/// Fails the case unless conditions and fetches agree about what a mix has.
package func expectTracks(_ keys: [Int64], of mix: Mix, in context: ReadContext, line: Int = #line) throws {
    try expectEqual(try mix.tracks.all.fetch(in: context).map(\.id), keys, "fetched", line: line)
    try expectEqual(try context.fetch(mix.tracks.all).map(\.id), keys, "queried", line: line)
    try expectEqual(try mix.tracks.all.count(in: context), keys.count, "counted", line: line)
    let count = keys.count
    try expectEqual(
        try context.count(Mix.where { $0.id == mix.id && $0.tracks.count == count }), 1, "in a condition", line: line)
    try expectEqual(
        try context.fetch(Track.where { $0.mixes.count == 1 && $0.mixes.contains { $0.id == mix.id } }).map(\.id),
        keys.sorted(), "from the other side", line: line)
    let loaded = try context.fetch(Mix.where { $0.id == mix.id }.with { $0.tracks })
    try expectEqual(loaded.map { $0.1.map(\.id) }, [keys], "loaded", line: line)
}

/// Every policy, by name.
package let everyPolicy: [(name: String, policy: MergePolicy)] = [
    ("error", .error), ("storeWins", .storeWins), ("contextWins", .contextWins), ("overwrite", .overwrite),
    ("rollBack", .rollBack), ("resolving", .resolving { _ in .fail }),
]
