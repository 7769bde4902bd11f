import GranaryCore

@testable import GranaryKeyValue

/// Artists, songs that refer to them, tags, and which song has which.
enum PlannedMusic {
    /// id, name, country.
    static let artists = Entity(
        "Artist", key: "id",
        attributes: [
            Attribute("id", .int64), Attribute("name", .string), Attribute("country", .string, isOptional: true),
        ], indexes: [.index("name"), .index("country", folding: .caseInsensitive)])
    /// id, title, artist, year, plays.
    static let songs = Entity(
        "Song", key: "id",
        attributes: [
            Attribute("id", .int64), Attribute("title", .string),
            Attribute(
                "artist", .int64, isOptional: true, reference: Attribute.Reference(entity: "Artist", onDelete: .nullify)
            ), Attribute("year", .int32, isOptional: true), Attribute("plays", .int64),
        ],
        indexes: [
            .index("title"), .index("title", folding: [.caseInsensitive, .diacriticInsensitive]), .index("year"),
        ])
    /// id, name.
    static let tags = Entity(
        "Tag", key: "id", attributes: [Attribute("id", .int64), Attribute("name", .string)],
        indexes: [.unique("name", folding: .caseInsensitive)])
    /// id, song, tag.
    static let songTags = Entity(
        "SongTag", key: "id",
        attributes: [
            Attribute("id", .int64),
            Attribute("song", .int64, reference: Attribute.Reference(entity: "Song", onDelete: .cascade)),
            Attribute("tag", .int64, reference: Attribute.Reference(entity: "Tag", onDelete: .cascade)),
        ])

    static func store() throws -> KeyValueStore {
        let store = try newStore(artists, songs, tags, songTags)
        try store.write { writer in
            try writer.insert([1, "Björk", "IS"], into: 0)
            try writer.insert([2, "Can", "de"], into: 0)
            try writer.insert([3, "Cream", "GB"], into: 0)
            try writer.insert([4, "Neu!", "DE"], into: 0)
            for song in [
                [1, "Jóga", 1, 1997, 9], [2, "Hunter", 1, 1997, 4], [3, "Vitamin C", 2, 1972, 7],
                [4, "Spoon", 2, 1972, 1], [5, "Sunshine", 3, 1967, 3], [6, "Hallogallo", 4, 1972, 2],
                [7, "HUNGER", nil, nil, 0], [8, "hunted", nil, 1968, 0],
            ] as [[Value]] {
                try writer.insert(song, into: 1)
            }
            try writer.insert([1, "Krautrock"], into: 2)
            try writer.insert([2, "live"], into: 2)
            for (number, link) in [[3, 1], [4, 1], [6, 1], [4, 2], [5, 2]].enumerated() {
                try writer.insert(
                    [.integer(Int64(number)), .integer(Int64(link[0])), .integer(Int64(link[1]))], into: 3)
            }
        }
        return store
    }
}

/// What a plan prints, and the keys it gives.
func answer(_ store: KeyValueStore, _ request: FetchRequest) throws -> [String] {
    try store.read { reader in
        let keys = try reader.keys(request).map { value in
            if case .integer(let key) = value { String(key) } else { "?" }
        }
        return try reader.explain(request).lines + ["-> " + keys.joined(separator: " ")]
    }
}

func compare(_ position: Int, _ comparison: Comparison, _ value: Value) -> ResolvedCondition {
    .compare(position: position, comparison, value)
}

func text(_ position: Int, _ kind: TextMatch.Kind, _ pattern: String, _ folding: TextFolding = []) -> ResolvedCondition
{
    .text(.attribute(position), TextMatch(kind, pattern, folding), isNegated: false)
}
