import Foundation
import Granary
import GranarySQLite
import Stemming
import Testing

@Record(words: WordRules(EnglishStems.self, stopWords: .english)) struct Recipe {
    @Key(.assigned) var id: Int64 = 0
    @Searchable(weight: 2) var title: String
    @Searchable var text: String
}

@Record(words: WordRules(GermanStems.self, stopWords: .german)) struct Rezept {
    @Key(.assigned) var id: Int64 = 0
    @Searchable var titel: String
}

/// A language that the library does not have.
struct KlingonStems: StemTokenizer {
    static let language = "klingon"
    let words: StemmedWords
    init(_ words: StemmedWords) { self.words = words }
}

@Record(words: WordRules(KlingonStems.self)) struct Scroll {
    @Key(.assigned) var id: Int64 = 0
    @Searchable var title: String
}

private func withStack<T>(_ schema: Schema, _ body: (Stack) async throws -> T) async throws -> T {
    let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let stack = try await Stack(schema, store: .sqlite(at: folder.appending(path: "Store.granary")))
    let result = try await body(stack)
    try await stack.close()
    return result
}

struct StemmingTests {
    @Test func `other forms of the words are found`() async throws {
        try await withStack(Schema(Recipe.self)) { stack in
            try await stack.write { tx in
                try tx.insert([
                    Recipe(title: "Roasted tomatoes", text: "Roast the tomatoes slowly."),
                    Recipe(title: "Soup", text: "A tomato is cooked, then blended."),
                    Recipe(title: "Bread", text: "Knead and bake."),
                ])
            }
            func found(_ search: SearchText) async throws -> [String] {
                try await stack.read { snapshot in
                    try Recipe.where { $0.search(search) }.sorted(by: .rank).limit(9).fetch(in: snapshot).map(\.title)
                }
            }
            #expect(try await found("tomato") == ["Roasted tomatoes", "Soup"])
            #expect(try await found("roasting the TOMATO") == ["Roasted tomatoes"])
            #expect(try await found(.phrase("cooking blends")) == ["Soup"])
            #expect(try await found("cooking blends") == ["Soup"])
            #expect(try await found("baking") == ["Bread"])
            #expect(try await found("the") == [])
            #expect(try await stack.verify() == [])
        }
    }

    @Test func `stems of another language are shown in their text`() async throws {
        try await withStack(Schema(Rezept.self)) { stack in
            try await stack.write { try $0.insert(Rezept(titel: "Gebratene Äpfel mit Nüssen")) }
            let search = SearchText.all("nuss")
            let titles = try await stack.read { try Rezept.where { $0.search(search) }.fetch(in: $0).map(\.titel) }
            #expect(titles == ["Gebratene Äpfel mit Nüssen"])
            let title = try #require(titles.first)
            #expect(try search.highlights(in: title, as: Rezept.fields.titel).map { title[$0] } == ["Nüssen"])
        }
    }

    @Test func `a language that the library lacks is an error`() async throws {
        try await withStack(Schema(Scroll.self)) { (stack: Stack) async throws in
            await #expect { try await stack.write { try $0.insert(Scroll(title: "Qapla")) } } throws: { error in
                (error as? GranaryError)?.code == .tokenizerFailed
            }
            #expect(try await stack.read { try $0.count(Scroll.all) } == 0)
        }
    }
}
