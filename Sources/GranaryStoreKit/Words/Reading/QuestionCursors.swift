/// Makes the cursors of a question.
struct QuestionCursors<Key: DocumentKey> {
    let blocks: any WordBlocks
    let keys: WordKeys
    let question: IndexQuestion
    /// The cursors that are at each document that the whole question is at, if the document has the term. By term.
    private(set) var synchronous: [Int: TermDocuments<Key>] = [:]

    init(_ blocks: any WordBlocks, _ keys: WordKeys, _ question: IndexQuestion) {
        self.blocks = blocks
        self.keys = keys
        self.question = question
    }

    mutating func root() throws -> DocumentCursor<Key> {
        try cursor(question.tree, isSynchronous: true, isBelowAny: false)
    }

    /// - Parameters:
    ///   - isSynchronous: Whether the cursor's terms may be listed in ``synchronous``. A part of an `all` that is below
    ///     an `any` may be elsewhere than the document that the `any` found with another part.
    private mutating func cursor(
        _ tree: IndexQuestion.Tree, isSynchronous: Bool, isBelowAny: Bool
    ) throws -> DocumentCursor<Key> {
        switch tree {
        case .nothing: return .term(.nothing)
        case .term(let number):
            let cursor = try documents(of: number)
            if isSynchronous, synchronous[number] == nil { synchronous[number] = cursor }
            return .term(cursor)
        case .any(let parts):
            var cursors: [DocumentCursor<Key>] = []
            for part in parts {
                cursors.append(try cursor(part, isSynchronous: isSynchronous, isBelowAny: true))
            }
            return cursors.count == 1 ? cursors[0] : .any(AnyCursor(cursors))
        case .not(.not(let part)): return try cursor(part, isSynchronous: isSynchronous, isBelowAny: isBelowAny)
        case .not: throw WordIndexError.excludesOnly
        case .all(let parts):
            var cursors: [DocumentCursor<Key>] = []
            var excluded: [DocumentCursor<Key>] = []
            for part in parts {
                var part = part
                while case .not(.not(let inner)) = part { part = inner }
                if case .not(let inner) = part {
                    excluded.append(try cursor(inner, isSynchronous: false, isBelowAny: true))
                } else {
                    cursors.append(
                        try cursor(part, isSynchronous: isSynchronous && !isBelowAny, isBelowAny: isBelowAny))
                }
            }
            if parts.isEmpty { return .term(.nothing) }
            guard !cursors.isEmpty else { throw WordIndexError.excludesOnly }
            if cursors.count == 1, excluded.isEmpty { return cursors[0] }
            return .all(try AllCursor(cursors, excluding: excluded))
        }
    }

    /// The documents that have a term of the question.
    func documents(of number: Int) throws -> TermDocuments<Key> {
        guard question.terms.indices.contains(number) else { throw WordIndexError.unknownTerm(number) }
        let term = question.terms[number]
        var words: [TermDocuments<Key>] = []
        for (place, word) in term.words.enumerated() {
            let isPrefix = term.isPrefix && place == term.words.count - 1
            words.append(try isPrefix ? prefix(word) : exact(word))
        }
        guard !words.isEmpty else { return .nothing }
        if words.count == 1, term.slots == nil { return words[0] }
        return .chosen(try ChosenPlaces(words, in: term.slots.map { SlotChoice($0) }, distance: term.distance))
    }

    private func exact(_ word: [UInt8]) throws -> TermDocuments<Key> {
        try word.withUnsafeBytes { word in
            let term = DocumentWords.term(of: word)
            guard !term.isEmpty, !term.contains(0) else { return .nothing }
            var found: TermCursor<Key>?
            _ = try blocks.read(keys.header(term)) { value in
                found = try TermCursor(blocks, header: value, prefix: keys.postings(term))
            }
            guard let found else { return .nothing }
            try found.start()
            return .word(found)
        }
    }

    /// An empty prefix stands for all terms.
    private func prefix(_ word: [UInt8]) throws -> TermDocuments<Key> {
        try word.withUnsafeBytes { word in
            let prefix = keys.header(DocumentWords.term(of: word))
            var cursors: [TermCursor<Key>] = []
            try blocks.readEach(from: prefix) { header in
                guard hasPrefix(header.key, prefix), let term = keys.term(ofHeader: header.key) else { return false }
                cursors.append(try TermCursor(blocks, header: header.value, prefix: keys.postings(term)))
                return true
            }
            for cursor in cursors { try cursor.start() }
            return cursors.count == 1 ? .word(cursors[0]) : .prefix(PrefixCursor(cursors))
        }
    }
}
