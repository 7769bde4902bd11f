public import Granary

/// Types with names that exist outside with another meaning.
enum Library {
    @Record struct Genre {
        @Key var id: Int64
        @Unique(.caseInsensitive) var name: String
        static let artists = ToMany(\Artist.Fields.genre, onDelete: .deny)
    }

    @Record struct Artist: Hashable {
        @Key var id: Int64
        @Index @Index(.caseInsensitive) @Index(.caseInsensitive, .diacriticInsensitive) var name: String
        var genre: Ref<Genre>?
        static let songs = ToMany(\Song.Fields.artist, onDelete: .cascade)
        static let albums = ToMany(\Album.Fields.artist, orderedBy: \.year)
    }

    @Record struct Album {
        @Key var id: Int64
        var artist: Ref<Artist>
        @Attribute(name: "published") var year: Int
    }

    @Record struct Playlist {
        @Key var id: Int64
        var name: String
        static let songs = ManyToMany(Song.self, ordered: true)
    }

    @Record struct Song {
        @Key var isrc: String
        var artist: Ref<Artist>?
        static let playlists = ManyToMany(\Playlist.Fields.songs)
    }
}

/// Relationships of a record to itself.
@Record struct Node {
    @Key var id: Int64
    var parent: Ref<Node>?
    var place: Int = 0
    static let children = ToMany(\Node.Fields.parent, onDelete: .cascade, orderedBy: \.place)
    static let neighbours = ManyToMany(Node.self, onDelete: .deny)
    static let neighbourOf = ManyToMany(\Self.Fields.neighbours)
}

/// Every spelling.
@Record("Speller") public struct Spelling {
    @Key public var `default`: Int
    public static let plain = ToMany(\Spelled.Fields.required), second = ToMany(\Spelled.Fields.optional)
    static let annotated: ToMany<Spelling, Spelled> = .init(\.required, onDelete: .cascade)
    public static let qualified = Granary.ToMany(\Spelled.Fields.optional, onDelete: .nullify)
    static let specialized = ToMany<Spelling, Spelled>(\.required, orderedBy: \.required)
    private static let secret = ToMany(\Spelled.Fields.required)
    fileprivate static let many = ManyToMany<Spelled>(Spelled.self)
    public static let `switch`: Granary.ManyToMany<Spelling, Spelled> = .init(Spelled.self)
    nonisolated static let other: ManyToMany<Spelling, Spelled> = ManyToMany(Spelled.self, ordered: false)

    var secrets: RelatedRecords<Spelling, Spelled> { secret }
}

@Record public struct Spelled {
    @Key public var id: Int64
    public var required: Ref<Spelling>
    public var optional: Ref<Spelling>?
    static let many = ManyToMany(\Spelling.Fields.many)
    static let switches = Granary.ManyToMany(\Spelling.Fields.switch)
}

/// Two records whose declarations are first asked for at the same time.
@Record struct Left {
    @Key var id: Int64
    var right: Ref<Right>?
    static let rights = ToMany(\Right.Fields.left, orderedBy: \.id)
    static let others = ManyToMany(Right.self)
    static let linkedFrom = ManyToMany(\Right.Fields.others)
}

@Record struct Right {
    @Key var id: Int64
    var left: Ref<Left>?
    static let lefts = ToMany(\Left.Fields.right, orderedBy: \.id)
    static let others = ManyToMany(Left.self)
    static let linkedFrom = ManyToMany(\Left.Fields.others)
}

/// Two sides that give one reference different delete rules, and two that agree.
enum Disputed {
    @Record struct Owner {
        @Key var id: Int64
        static let things = ToMany(\Thing.Fields.owner, onDelete: .cascade)
        static let parts = ToMany(\Part.Fields.owner, onDelete: .cascade)
    }

    @Record struct Thing {
        @Key var id: Int64
        @Reference(onDelete: .deny) var owner: Ref<Owner>
    }

    @Record struct Part {
        @Key var id: Int64
        @Reference(onDelete: .cascade) var owner: Ref<Owner>
    }
}
