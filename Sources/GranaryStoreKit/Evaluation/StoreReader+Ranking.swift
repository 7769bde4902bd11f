extension StoreReader {
    /// A request whose ranks have the statistics of this state.
    package func ranked(_ request: FetchRequest) throws -> FetchRequest {
        guard request.hasRanks else { return request }
        var filler = RankFiller(self)
        return try filler.filled(request)
    }
}

extension FetchRequest {
    /// Whether a rank in it lacks its statistics.
    package var hasRanks: Bool {
        condition?.hasRanks ?? false || order.contains { $0.value.expression.hasRanks }
            || columns?.contains { $0.expression.hasRanks } ?? false
            || aggregation?.values.contains { $0.expression.hasRanks } ?? false
    }
}

extension ResolvedCondition {
    fileprivate var hasRanks: Bool { containsChild { $0.hasRanks } }
}

extension ResolvedExpression {
    fileprivate var hasRanks: Bool {
        if case .words(let question, _) = self, let ranking = question.ranking { return ranking.statistics == nil }
        return containsChild { $0.hasRanks }
    }
}

extension ResolvedChild {
    fileprivate var hasRanks: Bool {
        switch self {
        case .condition(let condition): condition.hasRanks
        case .expression(let expression): expression.hasRanks
        case .request(let request): request.hasRanks
        }
    }
}

/// Fills in the statistics of ranks, which are counted once for each question.
private struct RankFiller {
    private let reader: any StoreReader
    private var counted: [Key: WordQuestion.Statistics] = [:]

    private struct Key: Hashable {
        var entity: Int
        var question: WordQuestion
    }

    init(_ reader: any StoreReader) { self.reader = reader }

    mutating func filled(_ request: FetchRequest) throws -> FetchRequest {
        var request = request
        let entity = request.entity
        request.condition = try request.condition.map { try filled($0, entity) }
        for index in request.order.indices {
            request.order[index].value = try filled(request.order[index].value, entity)
        }
        request.columns = try request.columns?.map { try filled($0, entity) }
        if var aggregation = request.aggregation {
            aggregation.groups = try aggregation.groups.map { try filled($0, entity) }
            for index in aggregation.aggregates.indices {
                aggregation.aggregates[index].value =
                    try aggregation.aggregates[index].value.map { try filled($0, entity) }
            }
            request.aggregation = aggregation
        }
        return request
    }

    private mutating func filled(_ value: TypedExpression, _ entity: Int) throws -> TypedExpression {
        var value = value
        value.expression = try filled(value.expression, entity)
        return value
    }

    // The depth is bounded where conditions and expressions are resolved.
    private mutating func filled(_ condition: ResolvedCondition, _ entity: Int) throws -> ResolvedCondition {
        let inner = condition.target ?? entity
        return try condition.map {
            try filled($0, entity)
        } condition: {
            try filled($0, inner)
        } request: {
            try filled($0)
        }
    }

    private mutating func filled(_ expression: ResolvedExpression, _ entity: Int) throws -> ResolvedExpression {
        if case .words(var question, let texts) = expression, question.ranking != nil {
            let statistics = try statistics(question, texts, entity)
            question.ranking?.statistics = statistics
            return .words(question, texts)
        }
        let inner = expression.target ?? entity
        return try expression.map {
            try filled($0, inner)
        } condition: {
            try filled($0, inner)
        }
    }

    private mutating func statistics(
        _ question: WordQuestion, _ texts: [ResolvedExpression], _ entity: Int
    ) throws -> WordQuestion.Statistics {
        let key = Key(entity: entity, question: question)
        if let known = counted[key] { return known }
        if let found = try (reader as? any WordCounting)?.wordStatistics(question, of: entity)?.result {
            counted[key] = found
            return found
        }
        var request = FetchRequest(entity: entity)
        request.columns = texts.map { TypedExpression($0, .string, isOptional: true) }
        var statistics = WordStatistics(for: question)
        let matcher = WordMatcher(question)
        let rows = try reader.rows(request)
        while let row = try rows.next() {
            for number in texts.indices where row[number].kind == .text {
                try matcher.add(row[number].rawBytes, as: number)
            }
            statistics.add(matcher)
            matcher.clear()
        }
        counted[key] = statistics.result
        return statistics.result
    }
}
