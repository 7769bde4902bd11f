package import GranaryCore

/// Artist (id, name, rating?, born?, label: Label?), Label (id, name, profile json?), Song (id, title, seconds, plays?,
/// artist: Artist, price decimal?, follows: Song?).
package enum RandomMusic {
    package static func schema(indexed: Bool) -> Schema {
        func reference(_ name: String, _ entity: String, _ rule: DeleteRule, isOptional: Bool = false) -> Attribute {
            Attribute(name, .int64, isOptional: isOptional, reference: .init(entity: entity, onDelete: rule))
        }
        let artist = Entity(
            "Artist", key: "id",
            attributes: [
                Attribute("id", .int64), Attribute("name", .string), Attribute("rating", .double, isOptional: true),
                Attribute("born", .date, isOptional: true), reference("label", "Label", .nullify, isOptional: true),
            ], indexes: indexed ? [.index("name"), .index("rating")] : [])
        let label = Entity(
            "Label", key: "id",
            attributes: [
                Attribute("id", .int64), Attribute("name", .string), Attribute("profile", .json, isOptional: true),
            ])
        let song = Entity(
            "Song", key: "id",
            attributes: [
                Attribute("id", .int64), Attribute("title", .string), Attribute("seconds", .int16),
                Attribute("plays", .int64, isOptional: true), reference("artist", "Artist", .cascade),
                Attribute("price", .decimal, isOptional: true),
                reference("follows", "Song", .noAction, isOptional: true),
            ],
            indexes: indexed
                ? [.index("title"), .index("plays", "title"), .index("artist", "seconds"), .index("seconds")] : [])
        return Schema(entities: [artist, label, song])
    }
}
