import ConformanceKit
import GranaryCore

/// Fails unless each search finds the articles with these keys, before and after the text of the first one changes.
private func check(_ trial: Trial, _ texts: [String], _ searches: [(SearchText, [Int64])], line: Int = #line) throws {
    let articles = try Articles(trial, texts.enumerated().map { Article(id: Int64($0 + 1), title: "x", body: $1) })
    for (search, keys) in searches { try articles.expect(search, keys, line: line) }
    try expectEqual(try trial.stack.blocking.verify(), [], line: line)
    try trial.write { try $0.update(Article(id: 1, title: "x", body: "changed")) }
    for (search, keys) in searches { try articles.expect(search, keys.filter { $0 != 1 }, line: line) }
    try expectEqual(try trial.stack.blocking.verify(), [], line: line)
}

var strangeTextsCases: [ConformanceCase] {
    [
        ConformanceCase("search.marks-only", in: .search, "texts of combining marks") { trial in
            let marks = String(repeating: "\u{301}\u{327}", count: 20_000)
            try check(
                trial, [marks, "a" + marks, marks + "fire", "fire " + marks + " smoke", marks + marks],
                [(.all("fire"), [3, 4]), (.phrase("fire smoke"), [4]), (.all("a"), [2]), (.all(marks), [])])
            try expectEqual(SearchText.all("fire").highlights(in: marks), [])
            let text = "a" + marks + " b"
            try expectEqual(SearchText.all("a").highlights(in: text).count, 1)
            try expectEqual(SearchText.all("b").snippet(of: text, words: 1).text, "b")
        },
        ConformanceCase("search.endless-word", in: .search, "a text of one word without an end") { trial in
            let word = String(repeating: "abcdefghij", count: 30_000)
            let other = "abc" + word
            try check(
                trial, [word, other, String(word.prefix(128)), String(word.prefix(127)), "ß" + word],
                [
                    // The first 128 bytes of a word count.
                    (.all(word), [1, 3]), (.all(other), [2]), (.all(String(word.prefix(127))), [4]),
                    (.all("abcdefghijabc", beginnings: true), [1, 3, 4]), (.all("ss", beginnings: true), [5]),
                ])
            let places = SearchText.all(word).highlights(in: "x " + word)
            try expectEqual(places.map { ("x " + word)[$0].utf8.count }, [300_000])
            try expectEqual(SearchText.all("x").snippet(of: "x " + word, words: 1).text, "x")
        },
        ConformanceCase(
            "search.endless-script", in: .search, "a long text of a script without spaces", modes: [.fresh]
        ) { trial in
            let text = String(repeating: "東京都日本", count: 4_000)
            try check(
                trial, [text, "日本東京", text + "語"],
                [(.phrase("京都"), [1, 3]), (.phrase("本語"), [3]), (.phrase("本東京"), [1, 2, 3]), (.all("語"), [3])])
        },
        ConformanceCase("search.many-places", in: .search, "one word many times in a text", modes: [.fresh]) { trial in
            let text = String(repeating: "fire ", count: 20_000)
            try check(
                trial, [text, text + "smoke", "fire"],
                [
                    (.all("fire"), [1, 2, 3]), (.phrase("fire fire fire"), [1, 2]), (.phrase("fire smoke"), [2]),
                    (.near("smoke fire", within: 3), [2]),
                ])
        },
        ConformanceCase(
            "search.text-100mb", in: .search, "the words of a text of 100 MB are found", isHeavy: true, modes: [.fresh]
        ) { trial in
            let some = (0..<1_000).map { "word\($0) " }.joined()
            let text = "needle " + String(repeating: some, count: 100_000_000 / some.utf8.count) + "thread"
            let articles = try Articles(
                trial, [Article(id: 1, title: "x", body: text), Article(id: 2, title: "needle")])
            try articles.expect(.all("needle"), [1, 2])
            try articles.expect(.all("word7 thread"), [1])
            try articles.expect(.phrase("word999 thread"), [1])
            try expectEqual(SearchText.all("thread").highlights(in: text).map { text[$0] }, ["thread"])
            try trial.write { try $0.update(Article(id: 1, title: "x")) }
            try articles.expect(.all("needle"), [2])
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase(
            "search.word-100mb", in: .search, "a word, and marks, of 100 MB are stored and searched", isHeavy: true,
            modes: [.fresh]
        ) { trial in
            let word = String(repeating: "abcdefghij", count: 10_000_000)
            let marks = String(repeating: "\u{301}", count: 50_000_000)
            let articles = try Articles(
                trial, [Article(id: 1, title: "x", body: word), Article(id: 2, title: "x", body: marks)])
            try articles.expect(.all("abcdefghij", beginnings: true), [1])
            try articles.expect(.all("x"), [1, 2])
            try trial.write { _ = try Article.all.deleteAll(in: $0) }
            try articles.expect(.all("x"), [])
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
    ]
}
