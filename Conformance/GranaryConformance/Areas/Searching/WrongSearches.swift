import ConformanceKit
import GranaryCore

var wrongSearchesCases: [ConformanceCase] {
    [
        ConformanceCase("search.unreadable", in: .search, "the strict form says where the mistake is") { _ in
            func refused(_ text: String, at place: Int, line: Int = #line) throws {
                let error = try expectError(.invalidQuery, line: line) { try SearchText(parsing: text) }
                try expect(error.message.contains("character \(place):"), error.message, line: line)
            }
            try refused("", at: 1)
            try refused("   ", at: 4)
            try refused("AND", at: 1)
            try refused("fire AND", at: 9)
            try refused("OR fire", at: 1)
            try refused("fire OR OR smoke", at: 9)
            try refused("NOT", at: 4)
            try refused("(fire", at: 1)
            try refused("fire)", at: 5)
            try refused("\"fire", at: 1)
            try refused("fire \"", at: 6)
            try refused("...", at: 1)
            try refused("fire *", at: 6)
            try refused("title:", at: 7)
            try refused(":fire", at: 1)
            try refused("NEAR(a b", at: 1)
            try refused("NEAR()", at: 1)
            try refused("NEAR(a b, 0)", at: 11)
            try refused("NEAR(a b, 1001)", at: 11)
            try refused("NEAR(a b, x)", at: 11)
            try refused(String(repeating: "(", count: 100) + "a" + String(repeating: ")", count: 100), at: 51)
        },
        ConformanceCase("search.too-large", in: .search, "a search that is too large is refused when it is run") {
            trial in
            _ = try Articles(trial, titles: ["fire"])
            let words = (0...1_000).map { "w\($0)" }.joined(separator: " ")
            var deep = SearchText.all("a")
            for index in 0..<60 { deep = index % 2 == 0 ? .all([deep, .all("b")]) : .any([deep, .all("c")]) }
            var many = SearchText.any("a")
            for index in 0...1_000 { many = many || .all("w\(index)") }
            for search in [
                .all(words), .any(words), .none(words), deep, many, .near("a b", within: 0),
                .near("a b", within: 1_001),
            ] as [SearchText] {
                _ = try expectError(.invalidQuery) { try trial.keys(Article.where { $0.search(search) }) }
                _ = try expectError(.invalidQuery) { try trial.keys(Article.where { $0.search(!search || .all("a")) }) }
            }
            _ = try expectError(.invalidQuery) { try SearchText(parsing: words) }
            let typed = SearchText(fromUser: words)
            try expectEqual(try trial.keys(Article.where { $0.search(typed) }), [])
        },
        ConformanceCase(
            "search.not-searchable", in: .search, "a search of what is not searchable is refused, with what to do"
        ) { trial in
            _ = try Articles(trial, titles: ["fire"])
            func refused(_ query: Query<Article>, _ code: GranaryError.Code, _ words: String, line: Int = #line) throws
            {
                let error = try expectError(code, line: line) { try trial.keys(query) }
                try expect(error.message.contains(words), error.message, line: line)
            }
            try refused(Article.where { $0.reads.search("fire") }, .invalidQuery, "Searchable")
            try refused(
                Article.where { $0.search(SearchText.all("fire").in("reads")) }, .invalidQuery, "title, body, tags")
            try refused(Article.where { $0.search(SearchText.all("fire").in("nothing")) }, .unknownAttribute, "nothing")
            try refused(
                Article.where(Condition(.search(.all("fire"), of: "writer.articles"))), .unknownAttribute, "articles")
            try refused(Article.where(Condition(.search(.all("fire"), of: "nothing"))), .unknownAttribute, "nothing")
            _ = try expectError(.invalidQuery) { try Article.where("search(fire)") }
            _ = try expectError(.invalidQuery) { try Article.where("search()") }
            _ = try expectError(.invalidQuery) { try Article.where("search('fire AND')") }
            _ = try expectError(.invalidQuery) { try Article.where("search(%@)", 5) }
        },
    ]
}
