/// A state of a store in which conditions about words, and orders by rank, are answered from indexes.
///
/// A condition becomes one about the keys of the records that the index finds. The best records of a search are found
/// in the index alone, and only they are read.
class SearchedReader: StoreReader, WordCounting, LayeredReader {
    let store: SearchedStore
    fileprivate let inner: any StoreReader
    /// A condition that finds more records is answered from the rows, which costs no more.
    private static let mostKeys = 100_000

    /// The number of statements so far: each ends earlier cursors.
    fileprivate var statements = 0
    fileprivate var isEnded = false

    init(_ inner: any StoreReader, _ store: SearchedStore) { (self.inner, self.store) = (inner, store) }

    final var schema: Schema { inner.schema }
    final var transactionNumber: UInt64 { inner.transactionNumber }
    final func find(_ key: Cell, in entity: Int) throws -> Row? { try inner.find(key, in: entity) }
    final func lastAssignedKey(of entity: Int) throws -> Int64 { try inner.lastAssignedKey(of: entity) }
    final func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try inner.history(after: number, limit: limit)
    }
    func end() {
        didEnd()
        inner.end()
    }
    func engineReader() throws -> any StoreReader { inner }

    final func rows(_ request: FetchRequest) throws -> any RowCursor {
        guard request.searchesWords else { return try inner.rows(request) }
        return try bestRows(request) ?? inner.rows(rewritten(request))
    }

    final func count(_ request: FetchRequest) throws -> Int {
        guard request.searchesWords else { return try inner.count(request) }
        if !request.isDistinct, case (let question, false)? = request.condition?.search,
            let count = try count(question, of: request.entity)
        {
            return request.cut(count)
        }
        return try inner.count(rewritten(request))
    }

    final func explain(_ request: FetchRequest) throws -> QueryPlan {
        guard request.searchesWords else { return try inner.explain(request) }
        let plan = try inner.explain(rewritten(request))
        guard request.condition?.search != nil,
            let name = try reading(request.entity, { _, searched in searched.entity.name })
        else { return plan }
        return QueryPlan([QueryPlan.Step(.search, name, index: "words")] + plan.steps)
    }

    package final func wordStatistics(_ question: WordQuestion, of entity: Int) throws -> WordStatistics? {
        try reading(entity) { index, _ in
            var wanted: Set<Int> = []
            question.root.addWanted(to: &wanted)
            let found = try index.frequencies(question.forIndex.question, of: wanted)
            return WordStatistics(
                for: question, records: found.documents, words: found.words, counts: found.ofTerms)
        }
    }

    package final func words(_ asked: AskedWord, of entity: Int, limit: Int) throws -> [TermSuggestion]? {
        try reading(entity) { index, _ in
            switch asked {
            case .beginning(let start): try index.suggestions(prefix: start, limit: limit)
            case .like(let word):
                try index.corrections(of: word, distance: AskedWord.distance, limit: limit, others: .max)
            }
        }
    }

    package final func wordIndexSize(of entity: Int) throws -> WordIndexSize? {
        guard store.entities.indices.contains(entity), let searched = store.entities[entity],
            let blocks = try (inner as? any WordKeeping)?.wordBlocks()
        else { return nil }
        return try searched.size(in: blocks)
    }

    /// Whether the index is of the rows as they are here.
    func isCurrent(_ entity: Int) -> Bool { true }

    /// Ends cursors for good.
    final func didEnd() { isEnded = true }

    /// Ends earlier cursors.
    final func beginStatement() { statements &+= 1 }

    // MARK: Asking an index

    /// The result of asking the index of an entity; nil if there is no index, or if it is damaged.
    private func reading<T>(_ entity: Int, _ body: (WordIndexReader, SearchedEntity) throws -> T) throws -> T? {
        guard store.entities.indices.contains(entity), let searched = store.entities[entity], isCurrent(entity),
            let blocks = try (inner as? any WordKeeping)?.wordBlocks(), try searched.isKept(in: blocks)
        else { return nil }
        do {
            return try body(WordIndexReader(blocks, index: searched.index), searched)
        } catch is WordIndexError {
            return nil
        }
    }

    /// The keys of the records of which a question holds, or of which it does not; nil if there are too many.
    private func keys(_ question: WordQuestion, of entity: Int) throws -> (keys: [StoredValue], isComplement: Bool)? {
        try reading(entity) { index, searched in
            let (asked, isComplement) = question.forIndex
            var keys: [StoredValue] = []
            try index.matches(asked) { document in
                keys.append(searched.key(document))
                return keys.count <= SearchedReader.mostKeys
            }
            return keys.count <= SearchedReader.mostKeys ? (keys, isComplement) : nil
        } ?? nil
    }

    private func count(_ question: WordQuestion, of entity: Int) throws -> Int? {
        try reading(entity) { index, _ in
            let (asked, isComplement) = question.forIndex
            var count = 0
            try index.matches(asked) { _ in
                count += 1
                return true
            }
            return isComplement ? (index.totals?.documents ?? 0) - count : count
        }
    }

    // MARK: Rewriting

    final func rewritten(_ request: FetchRequest) throws -> FetchRequest {
        var request = request
        request.condition = try request.condition.map { try rewritten($0, request.entity) }
        return request
    }

    // The depth is bounded where conditions and expressions are resolved.
    private func rewritten(_ condition: ResolvedCondition, _ entity: Int) throws -> ResolvedCondition {
        if let (question, isNegated) = condition.search {
            guard let found = try keys(question, of: entity) else { return condition }
            let position = schema.entities[entity].keyPosition
            let isComplement = found.isComplement != isNegated
            if found.keys.isEmpty { return .always(isComplement) }
            return isComplement
                ? .notAmong(position: position, found.keys) : .among(position: position, found.keys)
        }
        let inner = condition.target ?? entity
        return try condition.map {
            try rewritten($0, entity)
        } condition: {
            try rewritten($0, inner)
        } request: {
            try rewritten($0)
        }
    }

    private func rewritten(_ expression: ResolvedExpression, _ entity: Int) throws -> ResolvedExpression {
        let inner = expression.target ?? entity
        return try expression.map {
            try rewritten($0, inner)
        } condition: {
            try rewritten($0, inner)
        }
    }

    // MARK: The best

    /// The rows of a request for the best records of a search; nil for any other request.
    private func bestRows(_ request: FetchRequest) throws -> (any RowCursor)? {
        guard schema.entities.indices.contains(request.entity), request.aggregation == nil, !request.isDistinct,
            let limit = request.limit,
            let needed = request.needed(beside: 0), needed <= SearchedReader.mostKeys, request.order.count == 2,
            case (let question, false)? = request.condition?.search,
            case .words(let ranked, _) = request.order[0].value.expression, request.order[0].isDescending,
            ranked.root == question.root, ranked.terms == question.terms, let ranking = ranked.ranking,
            let statistics = ranking.statistics,
            request.order[1].plainPosition == schema.entities[request.entity].keyPosition,
            !request.order[1].isDescending
        else { return nil }
        let (asked, isComplement) = question.forIndex
        guard !isComplement else { return nil }
        let best = try reading(request.entity) { index, searched in
            try index.best(asked, limit: needed, statistics, weights: ranking.weights)
                .dropFirst(request.offset).prefix(limit).map { searched.key($0.key) }
        }
        guard let best else { return nil }
        return try SearchedRows(
            best, request, keyPosition: schema.entities[request.entity].keyPosition, self, in: inner)
    }
}

/// Rows with some keys, in the order of the keys.
private final class SearchedRows: RowCursor {
    private let owner: SearchedReader
    private let statements: Int
    private let keys: [StoredValue]
    private var rows: [StoredValue: StoredRow] = [:]
    private let width: Int
    private var place = 0

    init(
        _ keys: [StoredValue], _ request: FetchRequest, keyPosition: Int, _ owner: SearchedReader,
        in reader: any StoreReader
    ) throws {
        (self.keys, self.owner, statements) = (keys, owner, owner.statements)
        var found = FetchRequest(
            entity: request.entity, condition: .among(position: keyPosition, keys.sorted()))
        let attributes = reader.schema.entities[request.entity].attributes
        let key = TypedExpression(.attribute(keyPosition), attributes[keyPosition].type, isOptional: false)
        found.columns = request.columns.map { $0 + [key] }
        width = request.columns?.count ?? attributes.count
        if keys.isEmpty { return }
        let cursor = try reader.rows(found)
        while let row = try cursor.next() {
            rows[StoredValue(row[request.columns == nil ? keyPosition : width])] = StoredRow(row)
        }
    }

    func next() throws -> Row? {
        if owner.isEnded { throw GranaryError.transactionEnded }
        guard owner.statements == statements else { throw GranaryError.cursorInvalidated }
        while place < keys.count {
            place += 1
            if let row = rows[keys[place - 1]] { return Row(cells: row.cells, count: width) }
        }
        return nil
    }
}

extension ResolvedCondition {
    /// The question, if the condition is a search and nothing else.
    fileprivate var search: (question: WordQuestion, isNegated: Bool)? {
        guard case .relation(.words(let question, _), .equal, .value(.integer(1)), let isNegated) = self,
            question.ranking == nil
        else { return nil }
        return (question, isNegated)
    }
}

extension FetchRequest {
    /// Whether its condition asks for words. An order by rank has such a condition beside it.
    fileprivate var searchesWords: Bool { condition?.searchesWords ?? false }
}

extension ResolvedCondition {
    fileprivate var searchesWords: Bool { containsChild { $0.searchesWords } }
}

extension ResolvedExpression {
    fileprivate var searchesWords: Bool {
        if case .words = self { return true }
        return containsChild { $0.searchesWords }
    }
}

extension ResolvedChild {
    fileprivate var searchesWords: Bool {
        switch self {
        case .condition(let condition): condition.searchesWords
        case .expression(let expression): expression.searchesWords
        case .request(let request): request.searchesWords
        }
    }
}
