/// An entity with an index of the words in its searchable attributes.
struct SearchedEntity {
    let position: Int
    let entity: Entity
    /// The positions of the searchable attributes.
    let texts: [Int]
    let areJSON: [Bool]
    /// The number of the index.
    let index: UInt32
    let options: WordIndexOptions
    private let numbers: [Int]

    /// How words are found.
    var rules: WordRules { entity.words }

    /// Nil for an entity without searchable attributes, or with keys that an index of words cannot have.
    init?(_ entity: Entity, at position: Int) {
        texts = entity.searchedPositions
        guard !texts.isEmpty, let index = UInt32(exactly: entity.id) else { return nil }
        switch entity.attributes[entity.keyPosition].type.storage {
        case .integer: options = WordIndexOptions(keys: .integers)
        case .text, .bytes: options = WordIndexOptions(keys: .bytes)
        case .null, .real: return nil
        }
        (self.entity, self.position, self.index) = (entity, position, index)
        areJSON = texts.map { entity.attributes[$0].type == .json }
        numbers = texts.map { entity.attributes[$0].id }
    }

    /// The key of the block that says what the index is of.
    var descriptionKey: [UInt8] { SearchedEntity.descriptionKey(of: index) }

    static func descriptionKey(of index: UInt32) -> [UInt8] { prefix(of: index) + [255] }

    /// The first bytes of each block of the index.
    var prefix: [UInt8] { SearchedEntity.prefix(of: index) }

    static func prefix(of index: UInt32) -> [UInt8] { withUnsafeBytes(of: index.bigEndian) { Array($0) } }

    /// What the index is of: the form of the index, that of words, and the numbers of the attributes; then, if the words
    /// are found by other rules, those. An index with another description is not used. The store makes it again when it
    /// is opened for writing.
    private var description: [UInt8] {
        func bytes(_ numbers: [Int]) -> [UInt8] {
            numbers.flatMap { number in
                withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian) { Array($0) }
            }
        }
        var description = bytes([1, WordReader.formatVersion] + numbers)
        if let tokenizer = rules.tokenizer, let version = rules.version {
            description += Array("tokenizer ".utf8) + bytes([version]) + Array(tokenizer.utf8)
        }
        if let stopWords = rules.stopWords {
            description += Array("stop words ".utf8) + bytes([StopWords.version]) + Array(stopWords.rawValue.utf8)
        }
        return description
    }

    /// Notes what the index is of, after which it is used.
    func describe(in blocks: any WritableWordBlocks) throws { try blocks.put(descriptionKey, description) }

    /// Removes the index. Searches are answered from the rows until it is made again.
    func remove(from blocks: any WritableWordBlocks) throws { try blocks.deleteAll(prefix: prefix) }

    /// What blocks have of an index.
    enum Keeping {
        case kept
        /// An index of something else: another version of the tokenizer, for example, or one that is not known here.
        case other
        case missing
    }

    /// What the blocks have of just this index.
    func keeping(in blocks: any WordBlocks) throws -> Keeping {
        var keeping = Keeping.missing
        let description = description
        do {
            _ = try blocks.read(descriptionKey) { bytes in
                keeping = rules.canFindWords && bytes.elementsEqual(description) ? .kept : .other
            }
        } catch is WordIndexError {
            return .missing
        }
        return keeping
    }

    /// Whether the blocks have an index of just this.
    func isKept(in blocks: any WordBlocks) throws -> Bool { try keeping(in: blocks) == .kept }

    // MARK: Keys

    /// A key of a record as a key of the index, in the same order.
    func document(_ key: Cell) -> [UInt8] {
        guard options.keys == .integers else { return Array(key.rawBytes) }
        let ordered = UInt64(bitPattern: key.integerValue) ^ (1 << 63)
        return withUnsafeBytes(of: ordered.bigEndian) { Array($0) }
    }

    /// The key of a record from a key of the index.
    func key(_ document: [UInt8]) -> StoredValue {
        switch entity.attributes[entity.keyPosition].type.storage {
        case .text: return .text(document)
        case .integer:
            let ordered = document.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return .integer(Int64(bitPattern: ordered ^ (1 << 63)))
        default: return .bytes(document)
        }
    }

    // MARK: Words

    /// Calls a closure with each record's key in the index, and its words.
    func forEachDocument(
        in reader: any StoreReader, _ body: (_ document: [UInt8], _ words: DocumentWords) throws -> Void
    ) throws {
        var (words, texts) = (DocumentWords(), WordReader(rules))
        var request = FetchRequest(entity: position)
        request.columns = ([entity.keyPosition] + self.texts).map {
            TypedExpression(.attribute($0), entity.attributes[$0].type, isOptional: true)
        }
        let rows = try reader.rows(request)
        while let row = try rows.next() {
            let cells = row.cells
            try read(&words, &texts) { cells[$0 + 1] }
            try body(document(row[0]), words)
        }
    }

    /// Reads the words of a record.
    ///
    /// - Parameter text: The text at an index of ``texts``.
    func read(_ words: inout DocumentWords, _ reader: inout WordReader, text: (Int) -> Cell) throws {
        words.removeAll()
        for (number, isJSON) in areJSON.enumerated() {
            let cell = text(number)
            guard cell.kind == .text else { continue }
            var position = 0
            func add(_ utf8: UnsafeRawBufferPointer, _ words: inout DocumentWords, _ reader: inout WordReader) throws {
                try reader.forEachWord(in: utf8, after: &position) { word in
                    try words.append(word.folded, slot: number, position: word.position)
                }
            }
            guard isJSON else {
                try add(cell.rawBytes, &words, &reader)
                continue
            }
            var scanner = JSONScanner(cell.rawBytes)
            while let text = scanner.nextString() {
                try text.withUnsafeBytes { try add($0, &words, &reader) }
                position += WordMatcher.gap
            }
        }
    }
}

extension WordQuestion {
    /// The question in the form of an index, and whether it asks for the records that it does not find. An index cannot
    /// list what has no word.
    var forIndex: (question: IndexQuestion, isComplement: Bool) {
        let (tree, isComplement) = root.forIndex
        let terms = terms.map { term in
            IndexQuestion.Term(
                words: term.words, isPrefix: term.isPrefix, slots: term.texts, distance: term.distance)
        }
        return (IndexQuestion(terms: terms, tree: tree), isComplement)
    }
}

extension WordQuestion.Node {
    fileprivate var forIndex: (IndexQuestion.Tree, isComplement: Bool) {
        switch self {
        case .term(let number): return (.term(number), false)
        case .not(let inner):
            let (tree, isComplement) = inner.forIndex
            return (tree, !isComplement)
        case .all(let parts):
            let (found, left) = WordQuestion.Node.split(parts)
            if found.isEmpty { return (.any(left), true) }
            return (left.isEmpty ? .all(found) : .all(found + left.map { .not($0) }), false)
        case .any(let parts):
            let (found, left) = WordQuestion.Node.split(parts)
            if left.isEmpty { return (found.isEmpty ? .nothing : .any(found), false) }
            // What is in `found`, or not in one of `left`, is all but what is in all of `left` and in none of `found`.
            return (.all(left + found.map { .not($0) }), true)
        }
    }

    private static func split(_ parts: [Self]) -> (found: [IndexQuestion.Tree], left: [IndexQuestion.Tree]) {
        var (found, left): ([IndexQuestion.Tree], [IndexQuestion.Tree]) = ([], [])
        for part in parts {
            let (tree, isComplement) = part.forIndex
            if isComplement { left.append(tree) } else { found.append(tree) }
        }
        return (found, left)
    }
}
