import GranaryCore
import Testing

@testable import GranaryKeyValue

/// Conditions and expressions over values in memory, written from the definitions and from nothing else. A term whose
/// definition is a library's own (folding, patterns, parts of dates, JSON) takes that library's word for single values.
private struct Model {
    var tables: [[[Value]]]

    func row(_ entity: Int, _ key: Value) -> [Value]? {
        key == nil ? nil : tables[entity].first { $0[0] == key }
    }

    func referrers(_ entity: Int, _ position: Int, _ key: Value) -> [[Value]] {
        tables[entity].filter { $0[position] != nil && $0[position] == key }
    }

    func holds(_ condition: ResolvedCondition, _ row: [Value]) throws -> Bool {
        switch condition {
        case .always(let value): return value
        case .all(let parts): return try parts.allSatisfy { try holds($0, row) }
        case .any(let parts): return try parts.contains { try holds($0, row) }
        case .among(let position, let values): return values.contains(row[position])
        case .notAmong(let position, let values): return !values.contains(row[position])
        case .compare(let position, let comparison, let value): return Model.holds(comparison, row[position], value)
        case .relation(let left, let comparison, let right, let isNegated):
            return try Model.holds(comparison, value(left, row), value(right, row)) != isNegated
        case .listed(let expression, let values, let isNegated):
            return try values.contains(value(expression, row)) != isNegated
        case .text(let expression, let match, let isNegated):
            guard case .text(let utf8) = try value(expression, row) else { return isNegated }
            return try utf8.withUnsafeBytes { try TextMatcher(match).matches($0) } != isNegated
        case .amongRows(let expression, let request, let isNegated):
            let found = try value(expression, row)
            return try answer(request).contains { Model.holds(.equal, $0[0], found) } != isNegated
        case .toOne(let position, let entity, let inner, let isNegated):
            guard let other = self.row(entity, row[position]) else { return isNegated }
            return try holds(inner, other) != isNegated
        case .toMany(let entity, let position, let inner, let isNegated):
            return try referrers(entity, position, row[0]).contains { try holds(inner, $0) } != isNegated
        }
    }

    static func holds(_ comparison: Comparison, _ left: Value, _ right: Value) -> Bool {
        switch comparison {
        case .equal: return compare(left, right) == 0
        case .notEqual: return compare(left, right) != 0
        case _ where left == nil || right == nil: return false
        case .less: return compare(left, right) < 0
        case .lessOrEqual: return compare(left, right) <= 0
        case .greater: return compare(left, right) > 0
        case .greaterOrEqual: return compare(left, right) >= 0
        }
    }

    static func compare(_ left: Value, _ right: Value) -> Int {
        left.withCell { a in right.withCell { b in GranaryCore.compare(a, b) } }
    }

    func value(_ expression: ResolvedExpression, _ row: [Value]) throws -> Value {
        switch expression {
        case .attribute(let position): return row[position]
        case .value(let value): return value
        case .toOne(let position, let entity, let inner):
            return try self.row(entity, row[position]).map { try value(inner, $0) } ?? nil
        case .arithmetic(let operation, let left, let right, let kind):
            return try apply(operation, value(left, row), value(right, row), as: kind)
        case .real(let inner):
            if case .integer(let integer) = try value(inner, row) { return .real(Double(integer)) }
            return try value(inner, row)
        case .ifNil(let first, let second):
            let found = try value(first, row)
            return found == nil ? try value(second, row) : found
        case .length(let inner):
            guard case .text(let utf8) = try value(inner, row) else { return nil }
            return .integer(Int64(String(decoding: utf8, as: UTF8.self).unicodeScalars.count))
        case .folded(let inner, let folding):
            guard case .text(let utf8) = try value(inner, row) else { return nil }
            return .text(try folding.folded(utf8))
        case .date(let part, let inner, let offset):
            guard case .real(let seconds) = try value(inner, row) else { return nil }
            return component(part, of: seconds, offset: offset).map { .integer($0) } ?? nil
        case .json(let inner, let path, let kind):
            guard case .text(let utf8) = try value(inner, row) else { return nil }
            return utf8.withUnsafeBytes { path.value(as: kind, in: $0) }
        case .aggregate(let aggregate):
            let found = try referrers(aggregate.entity, aggregate.position, row[0]).filter { other in
                try aggregate.condition.map { try holds($0, other) } ?? true
            }
            let values = try aggregate.expression.map { typed in
                try found.map { try value(typed.expression, $0) }
            }
            return try Model.aggregate(
                aggregate.function, values, aggregate.expression?.type ?? .int64, aggregate.isDistinct, found.count)
        }
    }

    static func aggregate(
        _ function: AggregateFunction, _ values: [Value]?, _ type: AttributeType, _ isDistinct: Bool, _ rows: Int
    ) throws -> Value {
        guard let values else { return .integer(Int64(rows)) }
        var accumulator = Accumulator(function, of: type)
        for value in isDistinct ? Array(Set(values)) : values { value.withCell { accumulator.add($0) } }
        return try accumulator.result()
    }

    func matching(_ request: FetchRequest) throws -> [[Value]] {
        try tables[request.entity].filter { row in try request.condition.map { try holds($0, row) } ?? true }
    }

    /// Rows with the values they are ordered by.
    private func sorted(_ rows: [[Value]], _ terms: [(isDescending: Bool, nilsFirst: Bool)], _ keys: [[Value]])
        -> [[Value]]
    {
        rows.indices.sorted { left, right in
            for (number, term) in terms.enumerated() {
                let (a, b) = (keys[left][number], keys[right][number])
                if a == b { continue }
                if a == nil || b == nil { return (a == nil) == term.nilsFirst }
                return (Model.compare(a, b) < 0) != term.isDescending
            }
            return false
        }.map { rows[$0] }
    }

    func answer(_ request: FetchRequest) throws -> [[Value]] {
        var rows = try matching(request)
        let descending = request.order.last?.isDescending ?? false
        if request.isDistinct {
            rows = Array(Set(try rows.map { row in try (request.columns ?? []).map { try value($0.expression, row) } }))
            let columns = request.columns ?? []
            var terms = request.order.map { ($0.isDescending, $0.nilsFirst) }
            terms += columns.map { _ in (false, true) }
            let keys = rows.map { row in
                request.order.map { term in row[columns.firstIndex { $0.expression == term.value.expression } ?? 0] }
                    + row
            }
            rows = sorted(rows, terms, keys)
        } else {
            let keys = try rows.map { row in
                try request.order.map { try value($0.value.expression, row) } + [row[0]]
            }
            rows = sorted(
                rows, request.order.map { ($0.isDescending, $0.nilsFirst) } + [(descending, !descending)], keys)
        }
        rows = Array(rows.dropFirst(request.offset).prefix(request.limit ?? Int.max))
        guard let columns = request.columns, !request.isDistinct else { return rows }
        return try rows.map { row in try columns.map { try value($0.expression, row) } }
    }

    /// Groups in the order of their values.
    func answer(_ request: AggregateRequest) throws -> [[Value]] {
        let rows = try answer(request.rows)
        var groups: [[Value]: [[Value]]] = request.groups.isEmpty ? [[]: []] : [:]
        for row in rows {
            groups[try request.groups.map { try value($0.expression, row) }, default: []].append(row)
        }
        return try groups.map { key, rows in
            try key
                + request.aggregates.map { aggregate in
                    let values = try aggregate.value.map { typed in
                        try rows.map { try value(typed.expression, $0) }
                    }
                    return try Model.aggregate(
                        aggregate.function, values, aggregate.value?.type ?? .int64, aggregate.isDistinct, rows.count)
                }
        }.sorted { $0.lexicographicallyPrecedes($1) }
    }
}

/// Artist (id, name, rating?, born?, label: Label?), Label (id, name, profile json?), Song (id, title, seconds, plays?,
/// artist: Artist, price decimal?, follows: Song?).
private enum Music {
    static func schema(indexed: Bool) -> Schema {
        func reference(_ name: String, _ entity: String, _ rule: DeleteRule, isOptional: Bool = false) -> Attribute {
            Attribute(name, .int64, isOptional: isOptional, reference: .init(entity: entity, onDelete: rule))
        }
        let artist = Entity(
            "Artist", key: "id",
            attributes: [
                Attribute("id", .int64), Attribute("name", .string), Attribute("rating", .double, isOptional: true),
                Attribute("born", .date, isOptional: true), reference("label", "Label", .nullify, isOptional: true),
            ], indexes: indexed ? [.index("name"), .index("rating")] : [])
        let label = Entity(
            "Label", key: "id",
            attributes: [
                Attribute("id", .int64), Attribute("name", .string), Attribute("profile", .json, isOptional: true),
            ])
        let song = Entity(
            "Song", key: "id",
            attributes: [
                Attribute("id", .int64), Attribute("title", .string), Attribute("seconds", .int16),
                Attribute("plays", .int64, isOptional: true), reference("artist", "Artist", .cascade),
                Attribute("price", .decimal, isOptional: true),
                reference("follows", "Song", .none, isOptional: true),
            ],
            indexes: indexed
                ? [.index("title"), .index("plays", "title"), .index("artist", "seconds"), .index("seconds")] : [])
        return Schema(entities: [artist, label, song])
    }
}

/// Makes requests at random, with depth bounded.
private struct Writer {
    var random: SeededGenerator
    let numberPath: JSONPath
    let textPath: JSONPath

    init(seed: UInt64) throws {
        random = SeededGenerator(state: seed)
        numberPath = try JSONPath("n")
        textPath = try JSONPath("s")
    }

    mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func text() -> Value {
        (pick(["", "a", "b", "Ab", "Äb", "ß"]) + String(repeating: "m", count: pick([0, 0, 1, 280]))).value
    }
    mutating func decimal() -> Value {
        let number = try? DecimalNumber(
            magnitude: UInt128(self.number(0...50)), exponent: pick([-2, 0, 1]), isNegative: pick([true, false]))
        return .bytes(number?.bytes ?? DecimalNumber.zero.bytes)
    }

    /// A value for an attribute.
    mutating func value(_ entity: Int, _ position: Int) -> Value {
        switch (entity, position) {
        case (_, 0): return .integer(Int64(number(1...12)))
        case (_, 1): return text()
        case (0, 2): return pick([nil, 0.0, -1.5, 2.0, .real(.infinity)])
        case (0, 3): return pick([nil, 0.0, 1e9, -86_400.5])
        case (0, 4): return pick([nil, .integer(Int64(number(1...4)))])
        case (1, 2): return pick([nil, "{\"n\":3}", "{\"n\":null,\"s\":\"x\"}", "{\"s\":\"Äb\"}"])
        case (2, 2): return .integer(Int64(number(-2...3)))
        case (2, 3): return pick([nil, 0, 1, 2, 100])
        case (2, 4): return .integer(Int64(number(1...8)))
        case (2, 5): return pick([nil, decimal()])
        default: return pick([nil, .integer(Int64(number(1...30)))])
        }
    }

    // Expressions by storage class. Entity 0 artist, 1 label, 2 song.

    mutating func integer(_ entity: Int, _ depth: Int) -> ResolvedExpression {
        if depth <= 0 { return .attribute(entity == 2 ? pick([0, 2, 3]) : 0) }
        switch number(0...8) {
        case 0:
            return .arithmetic(
                pick([.add, .subtract, .multiply]), integer(entity, depth - 1), integer(entity, depth - 1), .integer)
        case 1: return .ifNil(integer(entity, depth - 1), .value(7))
        case 2: return .length(text(entity, depth - 1))
        case 3 where entity == 0: return .date(pick([.year, .weekday, .hour]), .attribute(3), offset: pick([0, 3600]))
        case 4 where entity == 1: return .json(.attribute(2), numberPath, .integer)
        case 5 where entity == 2: return .toOne(position: 4, entity: 0, integer(0, depth - 1))
        case 6 where entity == 2: return .toOne(position: 6, entity: 2, integer(2, depth - 1))
        case 7 where entity < 2:
            return .aggregate(aggregate(entity, pick([.count, .sum, .minimum, .maximum]), depth))
        default: return .attribute(entity == 2 ? pick([2, 3]) : 0)
        }
    }

    mutating func real(_ entity: Int, _ depth: Int) -> ResolvedExpression {
        if depth <= 0 || number(0...2) == 0 { return entity == 0 ? .attribute(2) : .real(integer(entity, 0)) }
        switch number(0...3) {
        case 0: return .arithmetic(pick([.add, .multiply]), real(entity, 0), .value(.real(0.5)), .real)
        case 1 where entity == 2: return .toOne(position: 4, entity: 0, real(0, depth - 1))
        case 2 where entity < 2: return .aggregate(aggregate(entity, .average, depth))
        default: return .real(integer(entity, depth - 1))
        }
    }

    mutating func text(_ entity: Int, _ depth: Int) -> ResolvedExpression {
        if depth <= 0 { return .attribute(1) }
        switch number(0...5) {
        case 0:
            return .folded(
                text(entity, depth - 1), pick([.caseInsensitive, [.caseInsensitive, .diacriticInsensitive]]))
        case 1 where entity == 2: return .toOne(position: 4, entity: 0, text(0, depth - 1))
        case 2 where entity == 0: return .toOne(position: 4, entity: 1, text(1, depth - 1))
        case 3 where entity == 1: return .ifNil(.json(.attribute(2), textPath, .text), .attribute(1))
        default: return .attribute(1)
        }
    }

    mutating func aggregate(_ entity: Int, _ function: AggregateFunction, _ depth: Int) -> RelatedAggregate {
        let (source, position) = entity == 0 ? (2, 4) : (0, 4)
        let expression = TypedExpression(integer(source, depth - 1), .int64, isOptional: true)
        return RelatedAggregate(
            function, entity: source, position: position,
            condition: pick([true, false]) ? nil : condition(source, depth - 1),
            expression: function == .count && pick([true, false]) ? nil : expression,
            isDistinct: pick([true, false, false]))
    }

    mutating func typed(_ entity: Int, _ depth: Int) -> TypedExpression {
        switch number(0...6) {
        case 0: return TypedExpression(real(entity, depth), .double, isOptional: true)
        case 1, 2: return TypedExpression(text(entity, depth), .string, isOptional: true)
        case 3 where entity == 2:
            return TypedExpression(
                .arithmetic(.add, .attribute(5), .value(.bytes(DecimalNumber(3).bytes)), .decimal), .decimal,
                isOptional: true)
        case 4: return TypedExpression(.attribute(0), .int64, isOptional: false)
        default: return TypedExpression(integer(entity, depth), .int64, isOptional: true)
        }
    }

    mutating func comparison() -> Comparison { pick(Comparison.allCases) }

    mutating func condition(_ entity: Int, _ depth: Int) -> ResolvedCondition {
        let isNegated = pick([true, false])
        let width = [5, 3, 7][entity]
        switch number(0...(depth > 0 ? 14 : 5)) {
        case 0, 1:
            let position = number(0...(width - 1))
            let value = value(entity, position)
            return .compare(position: position, value == nil ? pick([.equal, .notEqual]) : comparison(), value)
        case 2:
            let position = number(0...(width - 1))
            return .among(position: position, Set((0...2).map { _ in value(entity, position) }).sorted())
        case 3:
            return .listed(
                integer(entity, 0), Set([nil, 1, 3, 7].filter { _ in pick([true, false]) } + [2]).sorted(),
                isNegated: isNegated)
        case 4:
            let match = TextMatch(
                pick([.equal, .contains, .prefix, .suffix, .like]), pick(["a", "m", "", "ab", "b*"]),
                pick([[], .caseInsensitive, .diacriticInsensitive]))
            return .text(text(entity, depth), match, isNegated: isNegated)
        case 5: return .relation(integer(entity, depth), comparison(), real(entity, depth), isNegated: isNegated)
        case 6: return .relation(text(entity, depth), comparison(), text(entity, depth), isNegated: isNegated)
        case 7, 8:
            switch entity {
            case 0: return .toOne(position: 4, entity: 1, condition(1, depth - 1), isNegated: isNegated)
            case 2:
                return pick([true, false])
                    ? .toOne(position: 4, entity: 0, condition(0, depth - 1), isNegated: isNegated)
                    : .toOne(position: 6, entity: 2, condition(2, depth - 1), isNegated: isNegated)
            default: return .always(isNegated)
            }
        case 9, 10:
            switch entity {
            case 0:
                let inner = pick([true, false]) ? .always(true) : condition(2, depth - 1)
                return .toMany(entity: 2, position: 4, inner, isNegated: isNegated)
            case 1: return .toMany(entity: 0, position: 4, condition(0, depth - 1), isNegated: isNegated)
            default: return .toMany(entity: 2, position: 6, condition(2, depth - 1), isNegated: isNegated)
            }
        case 11:
            var request = request(number(0...2), depth - 1)
            request.order = pick([true, false]) ? [] : request.order
            request.columns = [TypedExpression(integer(request.entity, 0), .int64, isOptional: true)]
            request.isDistinct = pick([true, false])
            if request.isDistinct { request.order = [] }
            return .amongRows(pick([integer(entity, 0), real(entity, 0)]), request, isNegated: isNegated)
        case 12: return .any((0...1).map { _ in condition(entity, depth - 1) })
        default: return .all((0...1).map { _ in condition(entity, depth - 1) })
        }
    }

    mutating func request(_ entity: Int, _ depth: Int) -> FetchRequest {
        var request = FetchRequest(
            entity: entity, condition: number(0...3) == 0 ? nil : condition(entity, depth),
            order: (0..<number(0...2)).map { _ in
                FetchRequest.OrderTerm(
                    typed(entity, depth - 1), isDescending: pick([true, false]), nilsFirst: pick([nil, true, false]))
            }, limit: pick([nil, nil, 0, 1, 4]), offset: pick([0, 0, 0, 2]))
        guard depth > 0 else { return request }
        switch number(0...2) {
        case 0: request.columns = (0...number(0...2)).map { _ in typed(entity, depth - 1) }
        case 1:
            let columns = (0...number(0...2)).map { _ in typed(entity, depth - 1) }
            request.columns = columns
            request.isDistinct = true
            request.order =
                request.order.isEmpty
                ? []
                : [
                    FetchRequest.OrderTerm(
                        pick(columns), isDescending: pick([true, false]), nilsFirst: pick([nil, true, false]))
                ]
        default: break
        }
        return request
    }

    mutating func aggregates(_ entity: Int) -> AggregateRequest {
        var rows = request(entity, 0)
        if pick([true, false]) { (rows.limit, rows.offset) = (nil, 0) }
        return AggregateRequest(
            rows, groups: (0..<number(0...2)).map { _ in typed(entity, 1) },
            aggregates: (0..<number(1...3)).map { _ in
                let function = pick(AggregateFunction.allCases)
                let value: TypedExpression? =
                    switch function {
                    case .count: pick([nil, typed(entity, 1)])
                    case .sum, .average: TypedExpression(integer(entity, 1), .int64, isOptional: true)
                    case .minimum, .maximum: typed(entity, 1)
                    }
                return AggregateRequest.Aggregate(function, value, isDistinct: pick([true, false]))
            })
    }
}

@Suite struct RandomExpressionTests {
    @Test(arguments: [true, false], [UInt64(1), 2, 3, 4])
    func `every request gives what its definition says`(indexed: Bool, seed: UInt64) throws {
        var writer = try Writer(seed: seed)
        let store = try KeyValueStore(engine: SortedArrayEngine(), schema: Music.schema(indexed: indexed))
        var tables: [[[Value]]] = [[], [], []]
        func fill(_ entity: Int, _ count: Int, _ width: Int) {
            for key in 1...count {
                tables[entity].append([.integer(Int64(key))] + (1..<width).map { writer.value(entity, $0) })
            }
        }
        fill(1, 4, 3)
        fill(0, 8, 5)
        fill(2, 24, 7)
        try store.write { transaction in
            for entity in [1, 0, 2] { for row in tables[entity] { try transaction.insert(row, into: entity) } }
        }
        let model = Model(tables: tables)
        var checked = 0
        try store.read { reader in
            for round in 0..<700 {
                let entity = writer.number(0...2)
                let request = writer.request(entity, 3)
                let width = request.columns?.count ?? [5, 3, 7][entity]
                let isRight = try compare(
                    { try model.answer(request) },
                    {
                        let rows = try reader.values(request, count: width)
                        let count = try reader.count(request)
                        return count == rows.count ? rows : [[.integer(Int64(count))]]
                    })
                let aggregates = writer.aggregates(entity)
                let areRight = try compare({ try model.answer(aggregates) }, { try reader.values(aggregates) })
                if isRight == false || areRight == false {
                    Issue.record("seed \(seed), round \(round): \(isRight == false ? "\(request)" : "\(aggregates)")")
                    return
                }
                checked += (isRight == nil ? 0 : 1) + (areRight == nil ? 0 : 1)
            }
        }
        #expect(checked > 1200)
    }

    /// Nil if arithmetic failed: which of several rows it fails for first is not defined.
    private func compare(_ expected: () throws -> [[Value]], _ found: () throws -> [[Value]]) throws -> Bool? {
        do {
            return try expected() == found()
        } catch let error as GranaryError where error.code == .overflow || error.code == .range {
            return nil
        }
    }
}
