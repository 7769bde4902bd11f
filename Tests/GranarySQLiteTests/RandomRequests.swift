import GranaryCore
import TestSupport

/// Draws requests of every kind over ``library``.
struct RandomRequests {
    var random: SeededNumbers

    private static let words = ["", "a", "A", "ab", "É", "e\u{301}", "S", "stra", "ß", "x"]

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    private mutating func bool() -> Bool { below(2) == 0 }
    private mutating func word() -> StoredValue { .string(RandomRequests.words[below(RandomRequests.words.count)]) }
    private mutating func comparison() -> Comparison {
        let all: [Comparison] = [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]
        return all[below(all.count)]
    }

    private mutating func type() -> AttributeType {
        let all: [AttributeType] = [.int64, .int64, .double, .string, .string, .date, .decimal]
        return all[below(all.count)]
    }

    private mutating func value(_ type: AttributeType) -> StoredValue {
        switch type.storage {
        case .integer: [0, -3, 2, 1991, 9_007_199_254_740_993][below(5)]
        case .real: [0.0, -1.5, 2.0, 0.25, 9_007_199_254_740_992.0, 1e7][below(6)]
        case .text: word()
        default: .bytes(DecimalNumber(Int64(below(7) - 3)).bytes)
        }
    }

    /// Where a record of one entity leads: references, and those who refer to it.
    private static let references = [[], [(9, 0), (10, 1), (11, 2)], [(4, 1)]]
    private static let referrers = [[(1, 9)], [(1, 10), (2, 4)], [(1, 11)]]

    mutating func expression(_ type: AttributeType, _ entity: Int, _ depth: Int) -> ResolvedExpression {
        let attributes = library.entities[entity].attributes.indices.filter {
            library.entities[entity].attributes[$0].type == type
        }
        switch depth == 0 ? below(2) : below(9) {
        case 0, 1, 2:
            return attributes.isEmpty ? .value(value(type)) : .attribute(attributes[below(attributes.count)])
        case 3: return .value(value(type))
        case 4:
            let references = RandomRequests.references[entity]
            guard !references.isEmpty else { return expression(type, entity, depth - 1) }
            let (position, target) = references[below(references.count)]
            return .toOne(position: position, entity: target, expression(type, target, depth - 1))
        case 5: return .ifNil(expression(type, entity, depth - 1), expression(type, entity, depth - 1))
        case 6: return aggregate(type, entity, depth)
        default: return operation(type, entity, depth)
        }
    }

    private mutating func operation(_ type: AttributeType, _ entity: Int, _ depth: Int) -> ResolvedExpression {
        guard let integer = try? JSONPath("a"), let real = try? JSONPath("c[0]"), let text = try? JSONPath("b") else {
            return .value(value(type))
        }
        switch type {
        case .int64:
            switch below(6) {
            case 4: return .function(.absolute(.integer), expression(.int64, entity, depth - 1))
            case 0:
                return .function(
                    .date(DateComponent.allCases[below(11)], offset: 3600), expression(.date, entity, depth - 1))
            case 1: return .function(.length, expression(.string, entity, depth - 1))
            case 2 where entity == 1: return .function(.json(integer, .integer), .attribute(8))
            case 3: return .arithmetic(.remainder, expression(.int64, entity, depth - 1), .value(7), .integer)
            default:
                return .arithmetic(
                    bool() ? .add : .subtract, expression(.int64, entity, depth - 1), .value(3), .integer)
            }
        case .double:
            if entity == 1 && below(4) == 0 { return .function(.json(real, .real), .attribute(8)) }
            if bool() { return .function(.real, expression(.int64, entity, depth - 1)) }
            if below(4) == 0 { return .function(.absolute(.real), expression(.double, entity, depth - 1)) }
            let operation: ArithmeticOperator = bool() ? .multiply : .divide
            return .arithmetic(operation, expression(.double, entity, depth - 1), .value(3.0), .real)
        case .string:
            if entity == 1 && below(4) == 0 { return .function(.json(text, .text), .attribute(8)) }
            return .function(
                .folded(TextFolding(rawValue: UInt8(1 + below(3)))), expression(.string, entity, depth - 1))
        case .decimal:
            return .arithmetic(
                .add, expression(.decimal, entity, depth - 1), expression(.decimal, entity, depth - 1), .decimal)
        default: return .arithmetic(.add, expression(type, entity, depth - 1), .value(60.0), .real)
        }
    }

    private mutating func aggregate(_ type: AttributeType, _ entity: Int, _ depth: Int) -> ResolvedExpression {
        let all = RandomRequests.referrers[entity]
        let (other, position) = all[below(all.count)]
        let condition = bool() ? nil : self.condition(other, depth - 1)
        func related(_ function: AggregateFunction, _ of: TypedExpression?, _ isDistinct: Bool) -> ResolvedExpression {
            .aggregate(
                RelatedAggregate(
                    function, entity: other, position: position, condition: condition, expression: of,
                    isDistinct: isDistinct))
        }
        if type == .int64 && bool() { return related(.count, nil, false) }
        let (function, value) = summand(of: type, other, depth)
        return related(function, value, bool())
    }

    /// What an aggregate of a type is made of.
    private mutating func summand(of type: AttributeType, _ entity: Int, _ depth: Int)
        -> (AggregateFunction, TypedExpression)
    {
        if type == .double && bool() {
            return (.average, TypedExpression(expression(.int64, entity, depth - 1), .int64, isOptional: true))
        }
        if type == .decimal && entity == 1 && bool() {
            return (.average, TypedExpression(.attribute(7), .scaledDecimal(places: 2), isOptional: false))
        }
        let functions: [AggregateFunction] =
            type == .string || type == .date ? [.minimum, .maximum] : [.sum, .minimum, .maximum]
        return (
            functions[below(functions.count)],
            TypedExpression(expression(type, entity, depth - 1), type, isOptional: true)
        )
    }

    mutating func condition(_ entity: Int, _ depth: Int) -> ResolvedCondition {
        let attributes = library.entities[entity].attributes
        let position = below(attributes.count)
        let attribute = attributes[position]
        let depth = max(0, depth)
        switch below(depth == 0 ? 4 : 12) {
        case 0:
            if attribute.isOptional && below(4) == 0 {
                return .compare(position: position, bool() ? .equal : .notEqual, .null)
            }
            return .compare(position: position, comparison(), value(attribute.type))
        case 1:
            var values = Set((0...below(3)).map { _ in value(attribute.type) })
            if attribute.isOptional && bool() { values.insert(.null) }
            return bool()
                ? .among(position: position, values.sorted()) : .notAmong(position: position, values.sorted())
        case 2, 3: return text(entity, depth)
        case 4:
            let type = type()
            let other = type == .int64 && bool() ? AttributeType.double : type
            return .relation(
                expression(type, entity, depth), comparison(), expression(other, entity, depth - 1), isNegated: bool())
        case 5:
            let type = type()
            var values = Set((0...below(3)).map { _ in value(type) })
            if bool() { values.insert(.null) }
            return .listed(expression(type, entity, depth), values.sorted(), isNegated: bool())
        case 6:
            let type = type()
            var rows = request(below(3), depth - 1, isPlain: true)
            rows.columns = [TypedExpression(expression(type, rows.entity, depth - 1), type, isOptional: true)]
            return .amongRows(expression(type, entity, depth - 1), rows, isNegated: bool())
        case 7, 8:
            let references = RandomRequests.references[entity]
            guard !references.isEmpty else { return condition(entity, depth - 1) }
            let (position, target) = references[below(references.count)]
            let inner = below(5) == 0 ? .always(true) : condition(target, depth - 1)
            return .toOne(position: position, entity: target, inner, isNegated: bool())
        case 9:
            let all = RandomRequests.referrers[entity]
            let (other, position) = all[below(all.count)]
            let inner = below(5) == 0 ? .always(true) : condition(other, depth - 1)
            return .toMany(entity: other, position: position, inner, isNegated: bool())
        default:
            let parts = (0...(1 + below(2))).map { _ in condition(entity, depth - 1) }
            return bool() ? .all(parts) : .any(parts)
        }
    }

    private mutating func text(_ entity: Int, _ depth: Int) -> ResolvedCondition {
        let kinds: [(TextMatch.Kind, String)] = [
            (.equal, "Ab"), (.contains, "a"), (.prefix, "STRA"), (.prefix, ""), (.prefix, "É"), (.suffix, "e"),
            (.like, "a*"), (.like, "?"), (.matches, "[a-zA]+"), (.contains, ""), (.equal, "é"), (.contains, "\u{0}"),
        ]
        let (kind, pattern) = kinds[below(kinds.count)]
        let match = TextMatch(kind, pattern, TextFolding(rawValue: UInt8(below(4))))
        return .text(expression(.string, entity, depth), match, isNegated: bool())
    }

    mutating func request(_ entity: Int, _ depth: Int, isPlain: Bool = false) -> FetchRequest {
        var request = FetchRequest(entity: entity, condition: below(6) == 0 ? nil : condition(entity, depth))
        var columns: [TypedExpression] = []
        for _ in 0..<below(3) {
            let type = type()
            columns.append(TypedExpression(expression(type, entity, max(0, depth - 1)), type, isOptional: true))
        }
        request.order = columns.map { .init($0, isDescending: bool(), nilsFirst: below(3) == 0 ? bool() : nil) }
        if bool() { request.limit = below(9) }
        if below(3) == 0 { request.offset = below(4) }
        if !isPlain && bool() {
            let type = type()
            request.columns =
                [TypedExpression(expression(type, entity, max(0, depth - 1)), type, isOptional: true)] + columns
            request.isDistinct = bool()
        }
        return request
    }

    mutating func aggregate(_ entity: Int, _ depth: Int) -> FetchRequest {
        let rows = request(entity, depth, isPlain: true)
        var groups: [TypedExpression] = []
        for _ in 0..<below(3) {
            let type = type()
            groups.append(TypedExpression(expression(type, entity, depth - 1), type, isOptional: true))
        }
        var aggregates = [Aggregation.Aggregate(.count, nil)]
        for _ in 0..<below(4) {
            let type: AttributeType = [.int64, .double, .decimal, .string][below(4)]
            let (function, value) = summand(of: type, entity, depth)
            aggregates.append(.init(function, value, isDistinct: bool()))
        }
        return rows.aggregated(groups: groups, aggregates)
    }
}
