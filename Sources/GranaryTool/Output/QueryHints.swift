// People who know SQL write its words in a query. What is meant by them is written in another way here.

enum QueryHints {
    /// Words of SQL, and what to write in their place. In capitals, a blank between words.
    private static let words: [(word: String, hint: String)] = [
        ("IS NULL", "A value that is nil is asked for by `attribute == nil`."),
        ("IS NOT NULL", "A value that is not nil is asked for by `attribute != nil`."),
        ("COUNT(", "The number of records is `@count`: `SELECT @count FROM ENTITY`."),
        ("MAX(", "The greatest value is `@max.attribute`."),
        ("MIN(", "The least value is `@min.attribute`."),
        ("SUM(", "The sum is `@sum.attribute`."),
        ("AVG(", "The average is `@avg.attribute`."),
        ("JOIN", "What a record refers to is a path: `artist.name`."),
        ("NOT LIKE", "Write NOT in front of the comparison: `NOT name LIKE 'C*'`."),
        ("NOT IN", "Write NOT in front of the comparison: `NOT name IN {'a', 'b'}`."),
    ]

    /// What may be meant by a query that is not understood.
    static func hints(_ text: String) -> [String] {
        let plain = plainText(text)
        return words.filter { plain.contains($0.word) }.map(\.hint)
    }

    /// What to say of a query that is understood, but perhaps otherwise than it was meant.
    static func remarks(_ text: String) -> [String] {
        var rest = text[...]
        while let like = rest.firstRange(of: "LIKE") ?? rest.firstRange(of: "like") {
            rest = rest[like.upperBound...]
            guard let start = rest.firstIndex(where: { $0 == "'" || $0 == "\"" }),
                let end = rest[rest.index(after: start)...].firstIndex(of: rest[start])
            else { break }
            let pattern = rest[start...end]
            if pattern.contains(where: { $0 == "%" || $0 == "_" }), !pattern.contains(where: { "*?".contains($0) }) {
                return ["In \(pattern), % and _ stand for themselves. LIKE has * for any text and ? for one character."]
            }
            rest = rest[rest.index(after: end)...]
        }
        return []
    }

    /// The text in capitals, without what stands in quotes, with one blank where there are several.
    private static func plainText(_ text: String) -> String {
        var plain = ""
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if !character.isWhitespace {
                plain.append(contentsOf: character.uppercased())
            } else if plain.last != " " {
                plain.append(" ")
            }
        }
        return plain
    }
}
