import ConformanceKit
import GranaryCore

private func marked(_ text: String, _ search: SearchText, of attribute: String? = nil) -> String {
    var shown = ""
    var end = text.startIndex
    for place in search.highlights(in: text, of: attribute) {
        shown += text[end..<place.lowerBound] + "[" + text[place] + "]"
        end = place.upperBound
    }
    return shown + text[end...]
}

var shownWordsCases: [ConformanceCase] {
    [
        ConformanceCase("search.highlights", in: .search, "the places of found words in the stored text") { _ in
            try expectEqual(marked("Purple Haze, purple rain", .all("purple")), "[Purple] Haze, [purple] rain")
            try expectEqual(marked("Purple Haze, purple rain", .phrase("purple haze")), "[Purple] [Haze], purple rain")
            try expectEqual(marked("Bjo\u{308}rk und Björk", .all("bjork")), "[Bjo\u{308}rk] und [Björk]")
            try expectEqual(marked("straße", .all("strasse")), "[straße]")
            try expectEqual(marked("Hendrix hen", .all("hen", beginnings: true)), "[Hendrix] [hen]")
            try expectEqual(marked("a x b and a", .near("a b", within: 2)), "[a] x [b] and [a]")
            try expectEqual(marked("fire and smoke", .all("fire") && !.all("ash")), "[fire] and smoke")
            try expectEqual(marked("fire and smoke", !.all("fire")), "fire and smoke")
            try expectEqual(marked("fire", .all("fire").in("title"), of: "title"), "[fire]")
            try expectEqual(marked("fire", .all("fire").in("title"), of: "body"), "fire")
            try expectEqual(marked("fire", .all("fire").in("title")), "[fire]")
            try expectEqual(marked("東京は日本語", .all("日本語")), "東京は[日本語]")
            try expectEqual(marked("東京は日本語", .all("京")), "東[京は]日本語")
            try expectEqual(marked("", .all("fire")), "")
            try expectEqual(marked("🔥 fire 🔥", .all("fire")), "🔥 [fire] 🔥")
        },
        ConformanceCase("search.words", in: .search, "words that complete or correct what is typed") { trial in
            let articles = [
                Article(id: 1, title: "Hendrix henna", tags: ["Henry"]), Article(id: 2, title: "hendrix", body: "hend"),
                Article(id: 3, title: "smoke"), Article(id: 4, title: "Hendrix hendrix Smoke"),
            ]
            _ = try Articles(trial, articles)
            func words(_ choice: WordChoice, _ context: ReadContext, limit: Int = 10) throws -> [String] {
                let found = try Article.words(choice, limit: limit, in: context)
                try expectEqual(try context.words(choice, of: "Article", limit: limit), found)
                return found.map { "\($0.word) \($0.records)" }
            }
            func check(_ context: ReadContext) throws {
                try expectEqual(
                    try words(.beginning(with: "my HEN"), context), ["hendrix 3", "hend 1", "henna 1", "henry 1"])
                try expectEqual(try words(.beginning(with: "hen"), context, limit: 1), ["hendrix 3"])
                try expectEqual(try words(.beginning(with: "x"), context), [])
                try expectEqual(try words(.beginning(with: "..."), context), [])
                try expectEqual(try words(.beginning(with: "hen"), context, limit: 0), [])
                try expectEqual(try words(.like("Hendrx"), context), ["hendrix 3", "hend 1", "henry 1"])
                try expectEqual(try words(.like("somke"), context), ["smoke 2"])
                try expectEqual(try words(.like("mokes"), context), ["smoke 2"])
                try expectEqual(try words(.like("henr"), context, limit: 2), ["hend 1", "henry 1"])
            }
            try trial.read(check)
            try trial.write { tx in
                try tx.update(Article(id: 3, title: "Smoke"))
                try check(tx)
                _ = try tx.delete(Article.self, 4)
                try expectEqual(try words(.beginning(with: "s"), tx), ["smoke 1"])
            }
            try trial.read { try expectEqual(try words(.like("hendrix"), $0), ["hendrix 2"]) }
        },
        ConformanceCase("search.snippets", in: .search, "the part of a text that shows most found words") { _ in
            let words = (1...100).map { "w\($0)" }
            var text = words
            text[60] = "fire"
            text[62] = "smoke"
            text[10] = "fire"
            let snippet = SearchText.all("fire smoke").snippet(of: text.joined(separator: " "), words: 8)
            try expectEqual(String(snippet.text), "w59 w60 fire w62 smoke w64 w65 w66")
            try expectEqual(snippet.highlights.map { String(snippet.text[$0]) }, ["fire", "smoke"])
            try expect(snippet.isCutBefore && snippet.isCutAfter, "it is cut on both sides")
            let none = SearchText.all("rain").snippet(of: text.joined(separator: " "), words: 3)
            try expectEqual(String(none.text), "w1 w2 w3")
            try expect(none.highlights.isEmpty && !none.isCutBefore && none.isCutAfter, "the beginning")
            let short = SearchText.all("fire").snippet(of: "  only fire!  ", words: 8)
            try expectEqual(String(short.text), "  only fire!  ")
            let last = SearchText.all("w100").snippet(of: words.joined(separator: " "), words: 4)
            try expectEqual(String(last.text), "w97 w98 w99 w100")
            try expectEqual(String(SearchText.all("x").snippet(of: "", words: 0).text), "")
        },
    ]
}
