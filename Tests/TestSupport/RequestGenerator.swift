package import GranaryCore

/// Makes requests of the entities of ``RandomMusic`` at random, with depth bounded.
package struct RequestGenerator {
    package var random: SeededNumbers
    private let numberPath: JSONPath
    private let textPath: JSONPath

    package init(seed: UInt64) throws {
        random = SeededNumbers(seed: seed)
        numberPath = try JSONPath("n")
        textPath = try JSONPath("s")
    }

    package mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }
    package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    package mutating func text() -> StoredValue {
        .string(pick(["", "a", "b", "Ab", "Äb", "ß"]) + String(repeating: "m", count: pick([0, 0, 1, 280])))
    }
    package mutating func decimal() -> StoredValue {
        let number = try? DecimalNumber(
            magnitude: UInt128(self.number(0...50)), exponent: pick([-2, 0, 1]), isNegative: pick([true, false]))
        return .bytes(number?.bytes ?? DecimalNumber.zero.bytes)
    }

    /// A value for an attribute.
    package mutating func value(_ entity: Int, _ position: Int) -> StoredValue {
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

    package mutating func integer(_ entity: Int, _ depth: Int) -> ResolvedExpression {
        if depth <= 0 { return .attribute(entity == 2 ? pick([0, 2, 3]) : 0) }
        switch number(0...9) {
        case 9: return .function(.absolute(.integer), integer(entity, depth - 1))
        case 0:
            return .arithmetic(
                pick([.add, .subtract, .multiply]), integer(entity, depth - 1), integer(entity, depth - 1), .integer)
        case 1: return .ifNil(integer(entity, depth - 1), .value(7))
        case 2: return .function(.length, text(entity, depth - 1))
        case 3 where entity == 0:
            return .function(.date(pick([.year, .weekday, .hour]), offset: pick([0, 3600])), .attribute(3))
        case 4 where entity == 1: return .function(.json(numberPath, .integer), .attribute(2))
        case 5 where entity == 2: return .toOne(position: 4, entity: 0, integer(0, depth - 1))
        case 6 where entity == 2: return .toOne(position: 6, entity: 2, integer(2, depth - 1))
        case 7 where entity < 2:
            return .aggregate(aggregate(entity, pick([.count, .sum, .minimum, .maximum]), depth))
        default: return .attribute(entity == 2 ? pick([2, 3]) : 0)
        }
    }

    package mutating func real(_ entity: Int, _ depth: Int) -> ResolvedExpression {
        if depth <= 0 || number(0...2) == 0 {
            return entity == 0 ? .attribute(2) : .function(.real, integer(entity, 0))
        }
        switch number(0...4) {
        case 4: return .function(.absolute(.real), real(entity, depth - 1))
        case 0: return .arithmetic(pick([.add, .multiply]), real(entity, 0), .value(.real(0.5)), .real)
        case 1 where entity == 2: return .toOne(position: 4, entity: 0, real(0, depth - 1))
        case 2 where entity < 2: return .aggregate(aggregate(entity, .average, depth))
        default: return .function(.real, integer(entity, depth - 1))
        }
    }

    package mutating func text(_ entity: Int, _ depth: Int) -> ResolvedExpression {
        if depth <= 0 { return .attribute(1) }
        switch number(0...5) {
        case 0:
            return .function(
                .folded(pick([.caseInsensitive, [.caseInsensitive, .diacriticInsensitive]])), text(entity, depth - 1))
        case 1 where entity == 2: return .toOne(position: 4, entity: 0, text(0, depth - 1))
        case 2 where entity == 0: return .toOne(position: 4, entity: 1, text(1, depth - 1))
        case 3 where entity == 1: return .ifNil(.function(.json(textPath, .text), .attribute(2)), .attribute(1))
        default: return .attribute(1)
        }
    }

    package mutating func aggregate(_ entity: Int, _ function: AggregateFunction, _ depth: Int) -> RelatedAggregate {
        let (source, position) = entity == 0 ? (2, 4) : (0, 4)
        let expression = TypedExpression(integer(source, depth - 1), .int64, isOptional: true)
        return RelatedAggregate(
            function, entity: source, position: position,
            condition: pick([true, false]) ? nil : condition(source, depth - 1),
            expression: function == .count && pick([true, false]) ? nil : expression,
            isDistinct: pick([true, false, false]))
    }

    package mutating func typed(_ entity: Int, _ depth: Int) -> TypedExpression {
        switch number(0...6) {
        case 0: return TypedExpression(real(entity, depth), .double, isOptional: true)
        case 1, 2: return TypedExpression(text(entity, depth), .string, isOptional: true)
        case 3 where entity == 2:
            return TypedExpression(
                pick([
                    .arithmetic(.add, .attribute(5), .value(.bytes(DecimalNumber(3).bytes)), .decimal),
                    .function(.absolute(.decimal), .attribute(5)),
                ]), .decimal, isOptional: true)
        case 4: return TypedExpression(.attribute(0), .int64, isOptional: false)
        default: return TypedExpression(integer(entity, depth), .int64, isOptional: true)
        }
    }

    package mutating func comparison() -> Comparison { pick(Comparison.allCases) }

    package mutating func condition(_ entity: Int, _ depth: Int) -> ResolvedCondition {
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

    package mutating func request(_ entity: Int, _ depth: Int) -> FetchRequest {
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

    package mutating func aggregates(_ entity: Int) -> FetchRequest {
        var rows = request(entity, 0)
        if pick([true, false]) { (rows.limit, rows.offset) = (nil, 0) }
        return rows.aggregated(
            groups: (0..<number(0...2)).map { _ in typed(entity, 1) },
            (0..<number(1...3)).map { _ in
                let function = pick(AggregateFunction.allCases)
                let value: TypedExpression? =
                    switch function {
                    case .count: pick([nil, typed(entity, 1)])
                    case .sum, .average: TypedExpression(integer(entity, 1), .int64, isOptional: true)
                    case .minimum, .maximum: typed(entity, 1)
                    }
                return Aggregation.Aggregate(function, value, isDistinct: pick([true, false]))
            })
    }
}
