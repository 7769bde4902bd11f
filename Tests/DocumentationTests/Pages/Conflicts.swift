import Granary

/// Two contexts change one artist; the second to save decides.
func twoEditors(_ key: Artist.Key, in stack: Stack) throws -> [MergeConflict] {
    let one = try stack.makeContext(named: "one")
    let other = try stack.makeContext(named: "other")
    try one.update(Artist.self, key) { ($0.name, $0.rating) = ("Jimi Hendrix", 5) }
    try other.update(Artist.self, key) { ($0.name, $0.plays) = ("James Marshall Hendrix", 12) }
    try other.blocking.save()
    do {
        try one.blocking.save()
    } catch let error as GranaryError where error.code == .mergeConflict {
        print(error.conflicts)  // [Artist: name changed on both sides]
    }
    one.mergePolicy = .contextWins
    return try one.blocking.save().conflicts  // the policy has settled it; rating and plays were none
}

extension MergePolicy {
    /// Plays that were counted on both sides are added up. Other conflicts are left to whoever saves.
    static let addingPlays = MergePolicy.resolving { conflict in
        guard [.changedTwice, .changedAlike].contains(conflict.kind), conflict.attributes == ["plays"],
            let base: Int = try conflict.base?.value("plays"), let here: Int = try conflict.context?.value("plays"),
            let there: Int = try conflict.store?.value("plays"), var record = conflict.merged
        else { return .fail }
        try record.set("plays", to: here + there - base)
        return .replace(record)
    }
}

/// Takes over a list of artists that others may be taking over as well.
func importNames(_ artists: [Artist], into stack: Stack) async throws {
    try await stack.perform(named: "import", mergePolicy: .error.agreeing) { context in try context.upsert(artists) }
}

func rename(_ artist: Artist, to name: String, in stack: Stack) async throws -> Artist? {
    var renamed = artist
    renamed.name = name
    return try await stack.write(as: "rename") { [renamed] tx in try tx.update(renamed, from: artist) }
}

func doublePlays(of key: Song.Key, in stack: Stack) async throws -> Int {
    try await retryingConflicts {
        try await stack.perform(named: "player") { context in
            try context.update(Song.self, key) { $0.plays *= 2 }.plays
        }
    }
}

/// Never a conflict: however many count at the same time, none is lost.
func countPlay(of key: Song.Key, in stack: Stack) async throws -> Int? {
    try await stack.perform(named: "player") { context in
        try Song.where { $0.id == key }.updateAll(in: context) { $0.add(\.plays, 1) }
        return try context.find(Song.self, key)?.plays
    }
}

@Record struct Page {
    @Key var id: Int64
    var title: String
    var text: String
    @Version var version = 0
}

/// The text was written for the title as it was read: if another has changed either, nothing is saved.
func write(_ text: String, to page: Page, in stack: Stack) async throws -> Page? {
    var written = page
    written.text = text
    return try await stack.write { [written] tx in try tx.update(written, from: page) }
}
