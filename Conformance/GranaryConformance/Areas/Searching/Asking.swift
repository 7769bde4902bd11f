import ConformanceKit
import Foundation
import GranaryCore

private let songs = [
    "purple haze", "fire", "the wind cries mary", "hey joe", "little wing", "purple rain fire", "fire on the mountain",
    "haze of purple and purple haze",
]

var askingCases: [ConformanceCase] {
    [
        searching(
            "all", "every word, in any order", songs,
            [
                (.all("purple"), [1, 6, 8]), (.all("haze purple"), [1, 8]), (.all("purple fire"), [6]),
                (.all("purple purple"), [1, 6, 8]), (.all("purple smoke"), []),
            ]),
        searching(
            "any", "at least one word", songs,
            [
                (.any("purple fire"), [1, 2, 6, 7, 8]), (.any("smoke wing"), [5]), (.any("smoke"), []),
                (.any("joe hey joe"), [4]),
            ]),
        searching(
            "none", "no word", songs,
            [(.none("purple fire"), [3, 4, 5]), (.none("smoke"), Array(1...8)), (.none(""), Array(1...8))]),
        searching(
            "phrase", "words that follow each other", songs,
            [
                (.phrase("purple haze"), [1, 8]), (.phrase("haze purple"), []), (.phrase("the wind cries mary"), [3]),
                (.phrase("wind mary"), []), (.phrase("fire"), [2, 6, 7]), (.phrase("purple and purple haze"), [8]),
                (.phrase("purple ha", beginning: true), [1, 8]), (.phrase("pur haze", beginning: true), []),
            ]),
        searching(
            "beginnings", "words that begin so", songs + ["mounting", "amount"],
            [
                (.all("mount", beginnings: true), [7, 9]), (.all("mount"), []), (.all("fi mo", beginnings: true), [7]),
                (.any("ha wi", beginnings: true), [1, 3, 5, 8]), (.all("purple", beginnings: true), [1, 6, 8]),
                (.all("x", beginnings: true), []), (.none("x"), Array(1...10)),
            ]),
        searching(
            "near", "words within a distance of the first", ["a b", "a x b", "a x x b", "b x a", "a x x x x b", "a a"],
            [
                (.near("a b", within: 1), [1]), (.near("a b", within: 2), [1, 2, 4]),
                (.near("b a", within: 2), [1, 2, 4]),
                (.near("a b", within: 3), [1, 2, 3, 4]), (.near("a b"), [1, 2, 3, 4, 5]),
                (.near("a"), [1, 2, 3, 4, 5, 6]),
                (.near("a a", within: 1), [6]), (.near("a x b", within: 2), [2, 4]),
                (.near("a b", within: 1_000), [1, 2, 3, 4, 5]),
            ]),
        searching(
            "operators", "searches are joined and turned round", songs,
            [
                (.all("purple") && .all("haze"), [1, 8]), (.all("purple") || .all("mary"), [1, 3, 6, 8]),
                (.all("purple") && !.all("haze"), [6]), (!.all("purple") && !.all("fire"), [3, 4, 5]),
                (!(.all("purple") || .all("fire")), [3, 4, 5]), (!(!.all("purple")), [1, 6, 8]),
                (.all([.all("purple"), .any("rain haze"), .none("fire")]), [1, 8]), (.all([]), []), (.any([]), []),
                (.any([.phrase("hey joe"), .all("wing little")]), [4, 5]),
            ]),
        searching(
            "repeated", "a word may be asked for in several ways at once", songs,
            [
                (.all("purple") && .phrase("purple haze") && .all("pur", beginnings: true), [1, 8]),
                (.all("fire") && .none("fire"), []), (.all("fire") || .none("fire"), Array(1...8)),
            ]),
        ConformanceCase("search.many-words", in: .search, "a search may have a thousand words") { trial in
            let articles = try Articles(
                trial, titles: ["w1 w2 w3", "w999", "w2000", (0..<1_000).map { "w\($0)" }.joined(separator: " ")])
            let words = (0..<1_000).map { "w\($0)" }.joined(separator: " ")
            try articles.expect(.any(words), [1, 2, 4])
            try articles.expect(.all(words), [4])
            try articles.expect(.none(words), [3])
        },
    ]
}

var searchTextCases: [ConformanceCase] {
    [
        ConformanceCase("search.parsed", in: .search, "the strict form says what each search says") { trial in
            let articles = try Articles(trial, titles: songs)
            func find(_ text: String, _ keys: [Int64], line: Int = #line) throws {
                try articles.expect(try SearchText(parsing: text), keys, line: line)
            }
            try find("purple haze", [1, 8])
            try find("purple AND haze", [1, 8])
            try find("purple OR mary", [1, 3, 6, 8])
            try find("purple NOT haze", [6])
            try find("NOT purple NOT fire", [3, 4, 5])
            try find("NOT (purple OR fire)", [3, 4, 5])
            try find("purple rain OR hey joe", [4, 6])
            try find("(purple OR little) (rain OR wing)", [5, 6])
            try find("\"purple haze\"", [1, 8])
            try find("\"purple ha\"*", [1, 8])
            try find("moun*", [7])
            try find("NEAR(purple fire, 2)", [6])
            try find("NEAR(fire mountain)", [7])
            try find("title:purple", [1, 6, 8])
            try find("title:(purple OR mary) haze", [1, 8])
            try find("body:purple", [])
            try find("\"and\"", [8])
            try find("and", [8])
            try find("()", [])
            try find("NOT ()", Array(1...8))
        },
        ConformanceCase("search.printed", in: .search, "the text of a search reads as the same search") { _ in
            let searches: [SearchText] = [
                .all("a b"), .any("a b c"), .none("a b"), .phrase("a b"), .phrase("a b", beginning: true),
                .all("and or NOT NEAR"), .near("a b", within: 3), .all("a").in("title"),
                .any("a b").in("title") && .all("c"),
                !.all("a b"), .all("can't 3.14 日本語 é"), .phrase("say \"so\" now"), .all([]), .none(""),
                (.all("a") || .all("b")) && (.all("c") || !.all("d")), SearchText.none("a").in("body"),
                !(.all("x").in("y")),
                .all("a", beginnings: true), .all("a").in("odd name"), .any([.all([]), .all("b")]),
            ]
            for search in searches {
                try expectEqual(try SearchText(parsing: search.description), search, search.description)
                let condition = AnyCondition.search(search, of: "writer")
                try expectEqual(try AnyCondition(parsing: condition.predicateText), condition, condition.predicateText)
            }
        },
        ConformanceCase("search.typed", in: .search, "what a person types is understood, and never fails") { trial in
            let articles = try Articles(trial, titles: songs)
            func find(_ text: String, _ keys: [Int64], line: Int = #line) throws {
                try articles.expect(SearchText(fromUser: text), keys, line: line)
            }
            try find("purple haze", [1, 8])
            try find("\"purple haze\"", [1, 8])
            try find("purple -haze", [6])
            try find("purple -\"purple haze\"", [6])
            try find("moun*", [7])
            try find("\"purple ha\"*", [1, 8])
            try find("Purple, HAZE!", [1, 8])
            try find("the AND wind", [])
            for text in [
                "\"", "\"purple", "purple\"", "-", "- purple", "*", "**", "-*", "\"\"", "()", "((", "purple:", ":",
                "AND",
                "NOT OR", "🙂", "", " \n\t", "purple*haze", "-\"", "\u{0}", "\u{301}", "a\u{301}\u{301}",
                String(repeating: "(", count: 10_000), String(repeating: "w ", count: 10_000),
                String(repeating: "\"", count: 1_001),
            ] {
                _ = try trial.read { try $0.count(Article.where { $0.search(SearchText(fromUser: text)) }) }
            }
            try find("\"purple", [1, 6, 8])
            try find("- purple", [1, 6, 8])
            try find("()", [])
        },
        ConformanceCase("search.literal", in: .search, "a text in quotation marks is what a person types") { trial in
            let articles = try Articles(trial, titles: songs)
            try expectEqual(try trial.keys(Article.where { $0.search("purple -haze") }), [6])
            try articles.expect("purple -haze", [6])
        },
        ConformanceCase("search.encoded", in: .search, "a request with a search is kept and sent as data") { trial in
            _ = try Articles(trial, titles: songs)
            let query = Article.where { $0.search(.any("purple fire") && !.phrase("purple haze")) && $0.id > 1 }
                .sorted(by: .rank)
            let again = try JSONDecoder().decode(Query<Article>.self, from: JSONEncoder().encode(query))
            try expectEqual(again, query)
            try expectEqual(try trial.keys(again), try trial.keys(query))
            try expectEqual(try trial.keys(again).sorted(), [2, 6, 7])
        },
        ConformanceCase("search.named", in: .search, "a condition's text searches, also at a path, and orders by rank")
        {
            trial in
            _ = try Articles(
                trial,
                [
                    Article(id: 1, title: "fire smoke ash cloud", writer: 1),
                    Article(id: 2, title: "fire fire", writer: 2),
                    Article(id: 3, title: "smoke", body: "fire", writer: 1), Article(id: 4, title: "rain"),
                    Article(id: 5, title: "wind"), Article(id: 6, title: "snow"), Article(id: 7, title: "sun"),
                    Article(id: 8, title: "fog"),
                ], writers: [Writer(id: 1, name: "Jimi Hendrix"), Writer(id: 2, name: "Joni")])
            func keys(_ text: String, _ order: String = "") throws -> [Int64] {
                let request = try Article.where(text)
                return try trial.keys(order.isEmpty ? request : request.sorted(by: order))
            }
            try expectEqual(try keys("search('fire')"), [1, 2, 3])
            try expectEqual(try keys("SEARCH(\"fire NOT ash\")"), [2, 3])
            try expectEqual(try keys("search(title, 'fire')"), [1, 2])
            try expectEqual(try keys("search(writer, 'hendrix')"), [1, 3])
            try expectEqual(try keys("search(writer.name, 'hendrix') AND NOT search(body, 'fire')"), [1])
            try expectEqual(try keys("NOT search(writer, 'hendrix')"), [2, 4, 5, 6, 7, 8])
            try expectEqual(try trial.keys(Article.where("search(%@)", "fire smoke")), [1, 3])
            try expectEqual(try keys("search('fire') AND id < 3", "-rank()"), [2, 1])
            try expectEqual(try keys("rank('fire') > 0"), [1, 2, 3])
        },
    ]
}
