import Testing

@Suite struct SearchableTests {
    @Test func `an attribute says that its words are searched, and the fields have a search`() {
        let text = Expansion(
            """
            @Record public struct A {
                @Key public var id: Int64
                @Searchable public var a: String
                @Searchable(weight: 2.5) var b: String?
                @Searchable @Attribute(.json) var c: [String]
            }
            """
        ).text
        #expect(text.contains(#"Granary.Attribute("a", String.self).searchable(),"#))
        #expect(text.contains(#"Granary.Attribute("b", String?.self).searchable(weight: 2.5),"#))
        #expect(text.contains(#"Granary.Attribute("c", Granary.JSON<[String]>.self).searchable(),"#))
        #expect(text.contains("public let search = Granary.RecordSearch<A>()"))
    }

    @Test func `groups of attributes and rules of words are passed on`() {
        let text = Expansion(
            """
            @Record(unique: [["a"]], words: WordRules(Stems.self, stopWords: .english)) struct A {
                @Key var id: Int64
                @Searchable("people") var a: String
                @Searchable("people", weight: 2) var b: String?
            }
            """
        ).text
        #expect(text.contains(#"Granary.Attribute("a", String.self).searchable("people"),"#))
        #expect(text.contains(#"Granary.Attribute("b", String?.self).searchable("people", weight: 2),"#))
        #expect(text.contains("words: WordRules(Stems.self, stopWords: .english))"))
    }

    @Test func `a record without words, or with a property of that name, has no such member`() {
        #expect(!Expansion("@Record struct A { @Key var id: Int64; var a: String }").text.contains("RecordSearch"))
        let taken = Expansion("@Record struct A { @Key var id: Int64; @Searchable var search: String }").text
        #expect(!taken.contains("RecordSearch"))
        #expect(taken.contains(".searchable()"))
    }

    @Test func `what has no words is refused`() {
        for type in ["Int", "Bool?", "Date", "Data?", "Ref<A>", "Decimal"] {
            expect(
                property: "@Searchable var a: \(type)", at: "@Searchable",
                "error: a has no words to search; @Searchable is for texts, and for JSON with texts",
                fixed: ["var a: \(type)"])
        }
        expect(
            property: "@Searchable @Transient var a = \"\"", at: "@Searchable",
            "error: a is @Transient and so not kept in the store: @Searchable means nothing here",
            fixed: ["@Transient var a = \"\""])
    }
}
