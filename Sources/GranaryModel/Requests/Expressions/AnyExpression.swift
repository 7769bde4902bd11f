/// A value computed from a record, by attribute names: a tree that can be compared, printed and encoded as a value.
///
/// An expression with nil as input is nil, except ``ifNil(_:_:)``. Its size is bounded like that of an
/// ``AnyCondition``.
public struct AnyExpression: Sendable, Hashable {
    /// The tree's nodes.
    public indirect enum Node: Sendable, Hashable {
        /// An attribute, or a path through to-one relationships to one: `name`, `album.artist.name`.
        case attribute(String)
        /// A value in the stored form of the expression beside it. A number added to or subtracted from a date is in
        /// seconds. A double beside a `Float` is the nearest `Float`.
        case value(StoredValue)
        /// A value that takes the type of the expression beside it when the query is run.
        case literal(Literal)
        case arithmetic(ArithmeticOperator, Node, Node)
        case function(Function, Node)
        /// The first, or the second if the first is nil.
        case ifNil(Node, Node)
        /// Over the records of the to-many relationship at a path; if the path is nil, over the records of a group.
        case aggregate(
            AggregateFunction, of: Node?, over: String?, where: AnyCondition.Node?, isDistinct: Bool)
        /// How well a record answers a search; nil for the searches of the request's condition.
        case rank(SearchText?)
        /// A part that cannot be run, with the error.
        case invalid(code: GranaryError.Code, message: String, attribute: String?)
    }

    /// A value in the form in which a person writes it.
    public enum Literal: Sendable, Hashable {
        case null
        case bool(Bool)
        /// As written: `4.50`.
        case number(String)
        case string(String)
        /// Seconds since 2001-01-01 00:00:00 UTC. Beside a date in arithmetic a plain number is seconds to move it by.
        case date(Double)
    }

    public let root: Node
    public let depth: Int
    public let terms: Int

    init(_ root: Node, depth: Int, terms: Int) {
        if depth > AnyCondition.maximumDepth || terms > AnyCondition.maximumTerms {
            self.init(
                .invalidQuery,
                "An expression is nested more than \(AnyCondition.maximumDepth) deep, or has more than \(AnyCondition.maximumTerms) terms."
            )
        } else {
            self.init(checked: root, depth: depth, terms: terms)
        }
    }

    private init(checked root: Node, depth: Int, terms: Int) {
        self.root = root
        self.depth = depth
        self.terms = terms
    }

    private init(_ code: GranaryError.Code, _ message: String, attribute: String? = nil) {
        root = .invalid(code: code, message: message, attribute: attribute)
        depth = 1
        terms = 1
    }

    package static func invalid(_ error: GranaryError, attribute: String? = nil) -> AnyExpression {
        AnyExpression(error.code, error.message, attribute: attribute)
    }
}

extension AnyExpression.Node {
    /// The operand, if the expression is written with a sign in front. The sign before a number would be part of the
    /// number.
    var negated: AnyExpression.Node? {
        guard case .arithmetic(.subtract, .literal(.number("0")), let operand) = self else { return nil }
        if case .literal(.number) = operand { return nil }
        return operand
    }
}

extension AnyExpression {
    public static func attribute(_ path: String) -> AnyExpression {
        AnyExpression(.attribute(path), depth: 1, terms: 1)
    }

    public static func value(_ value: StoredValue) -> AnyExpression { AnyExpression(.value(value), depth: 1, terms: 1) }

    public static func literal(_ literal: Literal) -> AnyExpression {
        AnyExpression(.literal(literal), depth: 1, terms: 1)
    }

    public static func arithmetic(
        _ left: AnyExpression, _ operation: ArithmeticOperator, _ right: AnyExpression
    ) -> AnyExpression {
        combined(left, right) { .arithmetic(operation, $0, $1) }
    }

    /// The number with its sign changed: 0 minus the number, in the type of the number.
    public static func negated(_ expression: AnyExpression) -> AnyExpression {
        .arithmetic(.literal(.number("0")), .subtract, expression)
    }

    public static func ifNil(_ expression: AnyExpression, _ other: AnyExpression) -> AnyExpression {
        combined(expression, other) { .ifNil($0, $1) }
    }

    public static func function(_ function: Function, _ argument: AnyExpression) -> AnyExpression {
        if case .invalid = argument.root { return argument }
        return AnyExpression(.function(function, argument.root), depth: argument.depth + 1, terms: argument.terms)
    }

    /// An aggregate over the records of a to-many relationship, or over those of a group.
    public static func aggregate(
        _ function: AggregateFunction, of expression: AnyExpression? = nil, over relationship: String? = nil,
        where condition: AnyCondition? = nil, isDistinct: Bool = false
    ) -> AnyExpression {
        if let expression, case .invalid = expression.root { return expression }
        if let condition, case .invalid(let code, let message, let attribute) = condition.root {
            return AnyExpression(code, message, attribute: attribute)
        }
        return AnyExpression(
            .aggregate(
                function, of: expression?.root, over: relationship, where: condition?.root, isDistinct: isDistinct),
            depth: max(expression?.depth ?? 0, condition?.depth ?? 0) + 1,
            terms: (expression?.terms ?? 0) + (condition?.terms ?? 0) + 1)
    }

    /// How well a record answers a search, a number of 0 or more, by BM25: see ``RecordSearch/rank``.
    ///
    /// - Parameter search: Nil for the searches of the request's own condition that are about the record itself.
    public static func rank(of search: SearchText? = nil) -> AnyExpression {
        if case .invalid(let reason)? = search?.root { return AnyExpression(.invalidQuery, reason) }
        return AnyExpression(.rank(search), depth: 1, terms: 1)
    }

    private static func combined(
        _ left: AnyExpression, _ right: AnyExpression, _ make: (Node, Node) -> Node
    ) -> AnyExpression {
        if case .invalid = left.root { return left }
        if case .invalid = right.root { return right }
        return AnyExpression(
            make(left.root, right.root), depth: max(left.depth, right.depth) + 1, terms: left.terms + right.terms)
    }
}
