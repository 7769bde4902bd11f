import Testing

@Suite struct RelationshipDiagnosticTests {
    @Test func `a relationship never changes`() {
        let message = "error: songs is a relationship, which never changes; declare it with static let"
        expect(
            property: #"static var songs = ToMany(\Song.Fields.artist)"#, at: "var songs", message,
            fixed: [#"static let songs = ToMany(\Song.Fields.artist)"#])
        expect(
            property: #"static var songs: ToMany<Artist, Song> { ToMany(\.artist) }"#, at: "var songs", message)
    }

    @Test func `a relationship is the type's`() {
        let message =
            "error: songs is a relationship, which the type declares and no record holds; declare it with static let"
        expect(
            property: #"let songs = ToMany(\Song.Fields.artist)"#, at: "let songs", message,
            fixed: [#"static let songs = ToMany(\Song.Fields.artist)"#])
        expect(
            property: "public var songs: ManyToMany<Artist, Song> = .init(Song.self)", at: "var songs", message,
            fixed: ["public static let songs: ManyToMany<Artist, Song> = .init(Song.self)"])
        expect(
            property: "private var songs = Granary.ManyToMany<Artist, Song>(Song.self)", at: "var songs", message,
            fixed: ["private static let songs = Granary.ManyToMany<Artist, Song>(Song.self)"])
    }

    @Test func `the related type must be seen in the text`() {
        for value in [
            "ToMany(path)", #"ToMany(\.artist)"#, #"ToMany(\Song.artist)"#, #"ToMany(\Song.Fields.artist.genre)"#,
            #"ToMany(inverse: \Song.Fields.artist)"#, #"ToMany(\Song.Fields.artist?.genre)"#, "ToMany()",
        ] {
            expect(
                property: "static let songs = \(value)", at: "songs =",
                "error: which records songs relates to must be seen in the text: write static let songs:"
                    + " ToMany<Artist, ...>",
                fixed: ["static let songs: ToMany<Artist, <#Record#>> = \(value)"])
        }
        expect(
            property: "static let songs: ManyToMany = .init(Song.self)", at: "songs:",
            "error: which records songs relates to must be seen in the text: write static let songs:"
                + " ManyToMany<Artist, ...>",
            fixed: ["static let songs: ManyToMany<Artist, <#Record#>> = .init(Song.self)"])
    }

    @Test func `the owner is not known behind the module's name`() {
        expect(
            property: "static let songs = Granary.ManyToMany(Song.self)", at: "songs =",
            "error: Granary.ManyToMany does not know whose relationship songs is; write ManyToMany alone, or"
                + " static let songs: Granary.ManyToMany<Artist, Song>",
            fixed: ["static let songs: Granary.ManyToMany<Artist, Song> = Granary.ManyToMany(Song.self)"])
    }

    @Test func `a relationship has a name of its own`() {
        let rest =
            "is a relationship, which every record has as a property, and there is a property of that name already;"
            + " rename one of them"
        for property in [
            "var songs: Int", "var Songs: Int", "@Attribute(name: \"songs\") var a: Int", "var songs: Int { 1 }",
            "@Transient var songs = 1",
        ] {
            expect(
                property: "\(property)\n    static let songs = ManyToMany(Song.self)", at: "songs = Many",
                "error: songs \(rest)")
        }
        expect(property: "static let id = ManyToMany(Song.self)", at: "id = Many", "error: id \(rest)")
        expect(
            "@Record struct A { @Key var code: Int; static let id = ManyToMany(Song.self) }", at: "id = Many",
            "error: id \(rest)")
        expect(
            property: "static let songs = ManyToMany(Song.self), Songs = ManyToMany(Song.self)", at: "Songs =",
            "error: two relationships of Artist are named \"Songs\" but for case; rename one of them")
    }

    @Test func `a relationship's name follows the rules of names`() {
        expect(
            property: "static let küsten = ManyToMany(Song.self)", at: "küsten",
            "error: the relationship name \"küsten\" is not a letter (a-z, A-Z) or _ followed by letters, digits"
                + " and _; rename it")
        expect(
            property: "static let rowid = ManyToMany(Song.self)", at: "rowid",
            "error: the relationship name \"rowid\" is reserved; rename it")
    }

    @Test func `a relationship does not depend on the build`() {
        expect(
            property: "#if DEBUG\n    static let songs = ManyToMany(Song.self)\n    #endif", at: "static",
            "error: a relationship cannot stand inside #if: the schema would depend on the build; move it out")
    }

    @Test func `static members that are no relationships are left alone`() {
        for line in [
            "static var songs = 1", "static let songs = Other.ToMany(1)", "static let songs = [ToMany(x)]",
            "static let songs: [ToMany<A, B>] = []", "static let songs = make()", "static let (a, b) = (1, 2)",
            "static func songs() -> Int { 1 }", "var many: RelatedRecords<A, B> { songs }",
        ] {
            expectAccepted(line)
        }
    }
}
