extension StoreReader {
    /// The first words of an entity's searchable attributes that a choice asks for.
    ///
    /// - Throws: `invalidQuery` if the entity has no such attribute.
    package func words(_ choice: WordChoice, of position: Int, limit: Int) throws -> [FoundWord] {
        guard schema.entities.indices.contains(position) else { throw GranaryError.noEntity(at: position) }
        let entity = schema.entities[position]
        guard !entity.searchedPositions.isEmpty else { throw GranaryError.notSearchable(entity) }
        guard limit > 0, let asked = AskedWord(choice) else { return [] }
        let found =
            try (self as? any WordCounting)?.words(asked, of: position, limit: limit)
            ?? countedWords(asked, entity, position, limit)
        return found.map { FoundWord(String(decoding: $0.term, as: UTF8.self), records: $0.documents) }
    }

    /// The same from the rows.
    private func countedWords(
        _ asked: AskedWord, _ entity: Entity, _ position: Int, _ limit: Int
    ) throws -> [TermSuggestion] {
        let texts = entity.searchedPositions
        let question = WordQuestion(.any([]), [], areJSON: texts.map { entity.attributes[$0].type == .json })
        var request = FetchRequest(entity: position)
        request.columns = texts.map { TypedExpression(.attribute($0), .string, isOptional: true) }
        var counts: [[UInt8]: Int] = [:]
        var own: Set<[UInt8]> = []
        let reader = WordMatcher(question)
        reader.eachWord = { own.insert(Array($0)) }
        let rows = try rows(request)
        while let row = try rows.next() {
            own.removeAll(keepingCapacity: true)
            for number in texts.indices where row[number].kind == .text {
                try reader.add(row[number].rawBytes, as: number)
            }
            reader.clear()
            for word in own { counts[word, default: 0] += 1 }
        }
        var search = WordSuggestions(asked, limit: limit)
        for (word, count) in counts { word.withUnsafeBytes { search.look(at: $0, count) } }
        return search.all
    }
}

/// A ``WordChoice`` with its word in the form in which words are searched.
package enum AskedWord {
    case beginning([UInt8])
    case like([UInt8])

    /// Nil for a text without words.
    fileprivate init?(_ choice: WordChoice) {
        let text =
            switch choice {
            case .beginning(let text), .like(let text): text
            }
        var (reader, count, last) = (WordReader(), 0, [UInt8]())
        let utf8 = Array(text.utf8)
        try? utf8.withUnsafeBytes { try reader.forEachWord(in: $0, after: &count) { last = Array($0.folded) } }
        if last.isEmpty { return nil }
        switch choice {
        case .beginning: self = .beginning(last)
        case .like: self = .like(last)
        }
    }

    /// How many letters may differ.
    static let distance = 2
}

/// Finds the first of words that come in any order.
private struct WordSuggestions {
    private let asked: AskedWord
    private var first: FirstSuggestions
    private var distance: EditDistance

    init(_ asked: AskedWord, limit: Int) {
        self.asked = asked
        first = FirstSuggestions(limit: limit)
        if case .like(let word) = asked {
            distance = EditDistance(word, limit: AskedWord.distance)
        } else {
            distance = EditDistance([], limit: 0)
        }
    }

    mutating func look(at word: UnsafeRawBufferPointer, _ count: Int) {
        switch asked {
        case .beginning(let start):
            guard hasPrefix(word, start) else { return }
            first.insert(TermSuggestion(term: Array(word), documents: count, distance: 0))
        case .like:
            guard let distance = distance.distance(to: word) else { return }
            first.insert(TermSuggestion(term: Array(word), documents: count, distance: distance))
        }
    }

    var all: [TermSuggestion] { first.all }
}

extension GranaryError {
    static func notSearchable(_ entity: Entity) -> GranaryError {
        GranaryError(
            .invalidQuery,
            "\(entity.name) has no searchable attribute. Declare one: `@Searchable var title: String`.",
            entity: entity.name)
    }
}
