import Granary

@Record struct Essay {
    @Key(.assigned) var id: Int64 = 0
    @Searchable(weight: 3) var title: String
    @Searchable var text: String?
    @Searchable @Attribute(.json) var tags: [String] = []
    var author: Ref<Essayist>?
}

@Record struct Essayist {
    @Key(.assigned) var id: Int64 = 0
    @Searchable var name: String
}

func best(_ typed: String, in snapshot: Snapshot) throws -> [String] {
    let search = SearchText(fromUser: typed)  // takes any text, and never fails
    let query = Essay.where { $0.search(search) }.sorted(by: .rank).limit(20)
    return try snapshot.fetch(query).map { essay in
        let snippet = search.snippet(of: essay.text ?? essay.title, words: 12)
        return (snippet.isCutBefore ? "…" : "") + snippet.text + (snippet.isCutAfter ? "…" : "")
    }
}

func count(in snapshot: Snapshot) throws -> [Int] {
    let queries = [
        Essay.where { $0.search(.all("time money")) },
        Essay.where { $0.search(.any("time money") && !.phrase("time is money")) },
        Essay.where { $0.title.search(.all("tim", beginnings: true)) },
        Essay.where { $0.author.search("woolf") || $0.search(.near("time money", within: 5)) },
        try Essay.where("search(\"time NOT money\") AND search(author, \"woolf\")"),
    ]
    return try queries.map { try snapshot.count($0) }
}

/// Takes an ending away, so that `lights` finds "light".
struct Singulars: WordTokenizer {
    static let name = "singulars"
    static let version = 1

    mutating func findWords(in text: String, _ found: WordFinding) throws {
        try text.findWords { word, place in
            try found(word.hasSuffix("s") ? String(word.dropLast()) : word, place)
        }
    }
}

@Record(words: WordRules(Singulars.self, stopWords: .english)) struct Film {
    @Key(.assigned) var id: Int64 = 0
    @Searchable var title: String
    @Searchable("people") var director: String
    @Searchable("people") var composer: String?
}

func films(_ typed: String, by person: String, in snapshot: Snapshot) throws -> [String] {
    let search = SearchText(fromUser: typed) && .all(person).in("people")
    return try snapshot.fetch(Film.where { $0.search(search) }).map { film in
        let places = try search.highlights(in: film.title, as: Film.fields.title)
        return "\(film.title): \(places.map { film.title[$0] }.joined(separator: ", "))"
    }
}
