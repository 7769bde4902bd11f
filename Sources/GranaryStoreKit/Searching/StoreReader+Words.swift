extension StoreReader {
    /// The first words of an entity's searchable attributes that a choice asks for.
    ///
    /// - Throws: `invalidQuery` if the entity has no such attribute; `missingTokenizer`, `tokenizerFailed`.
    package func words(_ choice: WordChoice, of position: Int, limit: Int) throws -> [FoundWord] {
        guard schema.entities.indices.contains(position) else { throw GranaryError.noEntity(at: position) }
        let entity = schema.entities[position]
        guard let searched = SearchedEntity(entity, at: position) else { throw GranaryError.notSearchable(entity) }
        guard limit > 0, let asked = try AskedWord(choice, entity.words) else { return [] }
        let found =
            try (self as? any WordCounting)?.words(asked, of: position, limit: limit)
            ?? countedWords(asked, searched, limit)
        return found.map { FoundWord(String(decoding: $0.term, as: UTF8.self), records: $0.documents) }
    }

    /// The same from the rows.
    private func countedWords(_ asked: AskedWord, _ entity: SearchedEntity, _ limit: Int) throws -> [TermSuggestion] {
        var counts: [[UInt8]: Int] = [:]
        try entity.forEachDocument(in: self) { _, words in
            words.eachPosting { term, _ in counts[Array(term), default: 0] += 1 }
        }
        var first = FirstSuggestions(limit: limit)
        switch asked {
        case .beginning(let start):
            for (word, count) in counts where word.starts(with: start) {
                first.insert(TermSuggestion(term: word, documents: count, distance: 0))
            }
        case .like(let word):
            var search = CorrectionSearch(word, distance: AskedWord.distance, limit: limit)
            for (term, count) in counts { term.withUnsafeBytes { search.look(at: $0, count) } }
            first = search.first
        }
        return first.all
    }
}

/// A ``WordChoice`` with its word in the form in which words are searched.
package enum AskedWord {
    case beginning([UInt8])
    case like([UInt8])

    /// Nil for a text without words.
    fileprivate init?(_ choice: WordChoice, _ rules: WordRules) throws {
        let text =
            switch choice {
            case .beginning(let text), .like(let text): text
            }
        var (reader, count, last) = (WordReader(rules), 0, [UInt8]())
        let utf8 = Array(text.utf8)
        try utf8.withUnsafeBytes { utf8 in
            // The beginning of a word may be a stop word.
            try reader.forEachWord(in: utf8, after: &count, hasStopWords: true) { last = Array($0.folded) }
        }
        if last.isEmpty { return nil }
        switch choice {
        case .beginning: self = .beginning(last)
        case .like: self = .like(last)
        }
    }

    /// How many letters may differ.
    static let distance = 2
}

extension GranaryError {
    static func notSearchable(_ entity: Entity) -> GranaryError {
        GranaryError(
            .invalidQuery,
            "\(entity.name) has no searchable attribute. Declare one: `@Searchable var title: String`.",
            entity: entity.name)
    }
}
