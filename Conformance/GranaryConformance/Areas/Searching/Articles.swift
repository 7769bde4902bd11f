import ConformanceKit
import GranaryCore

/// A store of articles, and what their searches find.
struct Articles {
    let trial: Trial

    init(_ trial: Trial, _ articles: [Article] = [], writers: [Writer] = []) throws {
        self.trial = trial
        try trial.open(SuiteSchema.articles)
        try trial.write { tx in
            try tx.insert(writers)
            try tx.insert(articles)
        }
    }

    /// Articles with these titles, numbered from 1.
    init(_ trial: Trial, titles: [String]) throws {
        try self.init(trial, titles.enumerated().map { Article(id: Int64($0 + 1), title: $1) })
    }

    /// Fails unless a search finds the articles with these keys, in every form in which it can be asked.
    func expect(_ search: SearchText, _ keys: [Int64], file: String = #fileID, line: Int = #line) throws {
        try trial.read { snapshot in
            let query = Article.where { $0.search(search) }
            try expectEqual(try query.fetch(in: snapshot).map(\.id), keys, "\(search)", file: file, line: line)
            try expectEqual(
                try query.count(in: snapshot), keys.count, "the number of \(search)", file: file, line: line)
            let others = Set(try Article.where { !$0.search(search) }.fetch(in: snapshot).map(\.id))
            let all = Set(try Article.all.fetch(in: snapshot).map(\.id))
            try expectEqual(others, all.subtracting(keys), "the others than \(search)", file: file, line: line)
            let excluded = Set(try Article.where { $0.search(!search) }.fetch(in: snapshot).map(\.id))
            try expectEqual(excluded, others, "not \(search)", file: file, line: line)
            let ranked = try query.sorted(by: .rank).fetch(in: snapshot).map(\.id)
            try expectEqual(ranked.sorted(), keys, "\(search) by rank", file: file, line: line)
            let named = try Request<DynamicRecord, DynamicRecord>("Article").where(
                "search(%@)", search.description)
            try expectEqual(try named.count(in: snapshot), keys.count, "\(search) by names", file: file, line: line)
        }
    }
}

/// A case that searches titles: each search, and the numbers of the titles that it finds.
func searching(
    _ id: String, _ what: String, _ titles: [String], _ searches: [(SearchText, [Int64])]
) -> ConformanceCase {
    ConformanceCase("search.\(id)", in: .search, what) { trial in
        let articles = try Articles(trial, titles: titles)
        for (search, keys) in searches { try articles.expect(search, keys) }
    }
}
