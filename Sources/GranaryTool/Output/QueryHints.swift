// People who know SQL use its words in a query. These hints give the words of this query language instead.

enum QueryHints {
    /// Words of SQL, and their replacements. In capitals, with one blank between words.
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

    /// Hints about a query that cannot be parsed.
    static func hints(_ text: String) -> [String] {
        let plain = plainText(text)
        return words.filter { plain.contains($0.word) }.map(\.hint)
    }

    /// Remarks about a query that can be parsed, but perhaps means something else than its author thinks.
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

    /// The text in capitals, without quoted parts, with single blanks.
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
