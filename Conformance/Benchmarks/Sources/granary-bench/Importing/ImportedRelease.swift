import GranaryCore

// What `import nested` brings: records with a label and a genre, each an object within the release, and a list of songs.

struct ImportedLabel: Record {
    var id: Int64
    var name: String

    static let entityName = "Label"
    static let entity = Entity(
        entityName, key: "id", attributes: [Attribute("id", Int64.self), Attribute("name", String.self)])

    init(row: borrowing Row) throws { (id, name) = try (row.decode(at: 0), row.decode(at: 1)) }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
    }

    struct Fields: Sendable {}
    static let fields = Fields()
}

struct ImportedGenre: Record {
    var id: Int64
    var name: String

    static let entityName = "Genre"
    static let entity = Entity(
        entityName, key: "id", attributes: [Attribute("id", Int64.self), Attribute("name", String.self)])

    init(row: borrowing Row) throws { (id, name) = try (row.decode(at: 0), row.decode(at: 1)) }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(name, at: 1)
    }

    struct Fields: Sendable {}
    static let fields = Fields()
}

struct ImportedRelease: Record {
    var id: Int64
    var title: String
    var label: Ref<ImportedLabel>
    var genre: Ref<ImportedGenre>

    static let entityName = "Release"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self),
            Attribute("label", Ref<ImportedLabel>.self, onDelete: .cascade),
            Attribute("genre", Ref<ImportedGenre>.self, onDelete: .cascade),
        ])
    static let relationships: [DeclaredRelationship] = [
        DeclaredRelationship(Relationship("songs", entity: "ReleasedSong", attribute: "release"))
    ]

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        title = try row.decode(at: 1)
        label = try row.decode(at: 2)
        genre = try row.decode(at: 3)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(title, at: 1)
        try row.encode(label, at: 2)
        try row.encode(genre, at: 3)
    }

    struct Fields: Sendable {}
    static let fields = Fields()
}

struct ReleasedSong: Record {
    var id: Int64
    var title: String
    var seconds: Int
    var release: Ref<ImportedRelease>

    static let entityName = "ReleasedSong"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self), Attribute("seconds", Int.self),
            Attribute("release", Ref<ImportedRelease>.self, onDelete: .cascade),
        ])

    init(row: borrowing Row) throws {
        id = try row.decode(at: 0)
        title = try row.decode(at: 1)
        seconds = try row.decode(at: 2)
        release = try row.decode(at: 3)
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(title, at: 1)
        try row.encode(seconds, at: 2)
        try row.encode(release, at: 3)
    }

    struct Fields: Sendable {}
    static let fields = Fields()
}
