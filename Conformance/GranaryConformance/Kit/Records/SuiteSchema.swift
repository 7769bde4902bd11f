public import GranaryCore

/// The schemas of the suite.
public enum SuiteSchema {
    /// Every record type of the suite but the music shop's.
    public static let standard = Schema(
        Sample.self, Person.self, Note.self, Ticket.self, Counter.self, Shelf.self, Box.self)

    /// The music shop: records with relationships of every shape.
    public static let shop = Schema(
        Genre.self, Artist.self, Album.self, Song.self, Playlist.self, PlaylistSong.self, Employee.self, Tag.self)

    /// The same with an index over each attribute, some over several, and texts also indexed without regard to case.
    public static let indexedShop = Schema(
        entities: shop.entities.map { entity in
            var entity = entity
            for attribute in entity.attributes where attribute.name != entity.key {
                let isIndexed = entity.indexes.contains { $0.attributes.first == attribute.name && $0.folding.isEmpty }
                if !isIndexed { entity.indexes.append(.index(attribute.name)) }
                if attribute.type == .string && entity.name != Tag.entityName {
                    entity.indexes.append(.index(attribute.name, folding: [.caseInsensitive]))
                    entity.indexes.append(.index(attribute.name, folding: [.caseInsensitive, .diacriticInsensitive]))
                }
            }
            if entity.name == Song.entityName {
                entity.indexes += [.index("genre", "seconds"), .index("album", "score", "title")]
            }
            return entity
        })

    /// Records whose references have their delete rules and orders from the other side.
    public static let boards = Schema(Board.self, Card.self, Step.self)

    /// Records whose words are searched.
    public static let articles = Schema(Writer.self, Article.self)

    /// Records whose words are found by a tokenizer.
    public static let poems = Schema(Poem.self)

    /// Records with many-to-many relationships whose links nobody declares.
    public static let mixes = Schema(Mix.self, Track.self)
}
