/// What a query asks of records of one type. Built with operators on fields, walked as data, never run as a closure.
///
/// ```swift
/// Artist.where { $0.rating >= 4.5 && !($0.name == "Prince") || $0.id.in([1, 2, 3]) }
/// ```
public struct Condition<Root: Record>: Sendable, Hashable, CustomStringConvertible {
    /// The same without its type.
    public var untyped: AnyCondition

    public init(_ untyped: AnyCondition) { self.untyped = untyped }

    public var description: String { untyped.description }

    public static func && (left: Condition, right: Condition) -> Condition {
        Condition(AnyCondition.all([left.untyped, right.untyped]))
    }
    public static func || (left: Condition, right: Condition) -> Condition {
        Condition(AnyCondition.any([left.untyped, right.untyped]))
    }
    public static prefix func ! (condition: Condition) -> Condition { Condition(.not(condition.untyped)) }

    /// True of every record.
    public static var always: Condition { Condition(.always(true)) }
    /// True of no record.
    public static var never: Condition { Condition(.always(false)) }
}

/// A condition by attribute names: a tree, compared and printed as a value.
///
/// Its depth is at most ``maximumDepth`` and it has at most ``maximumTerms`` terms. What goes beyond becomes a condition
/// that throws `invalidQuery` when it is run: an enum nested without bound would crash when it is freed.
public struct AnyCondition: Sendable, Hashable {
    public static let maximumDepth = 100
    public static let maximumTerms = 10_000
    public static let maximumListedValues = 100_000

    /// The tree's nodes.
    public indirect enum Node: Sendable, Hashable {
        case always(Bool)
        case compare(attribute: String, Comparison, StoredValue)
        case among(attribute: String, [StoredValue])
        case all([Node])
        case any([Node])
        case not(Node)
        /// A part that cannot be run, and why.
        case invalid(code: GranaryError.Code, message: String, attribute: String?)
    }

    public let root: Node
    /// The longest way from the root to a term.
    public let depth: Int
    /// The number of comparisons.
    public let terms: Int

    private init(_ root: Node, depth: Int, terms: Int) {
        if depth > AnyCondition.maximumDepth {
            self = .invalid(
                .invalidQuery,
                "The condition is nested more than \(AnyCondition.maximumDepth) deep. Put terms side by side.")
        } else if terms > AnyCondition.maximumTerms {
            self = .invalid(
                .invalidQuery,
                "The condition has more than \(AnyCondition.maximumTerms) terms. Use `in` for lists of values.")
        } else {
            self.init(checked: root, depth: depth, terms: terms)
        }
    }

    private init(checked root: Node, depth: Int, terms: Int) {
        self.root = root
        self.depth = depth
        self.terms = terms
    }

    static func invalid(_ code: GranaryError.Code, _ message: String, attribute: String? = nil) -> AnyCondition {
        AnyCondition(checked: .invalid(code: code, message: message, attribute: attribute), depth: 1, terms: 1)
    }

    public static func always(_ value: Bool) -> AnyCondition { AnyCondition(.always(value), depth: 1, terms: 1) }

    public static func compare(_ attribute: String, _ comparison: Comparison, _ value: StoredValue) -> AnyCondition {
        AnyCondition(.compare(attribute: attribute, comparison, value), depth: 1, terms: 1)
    }

    public static func among(_ attribute: String, _ values: [StoredValue]) -> AnyCondition {
        guard values.count <= maximumListedValues else {
            return .invalid(
                .invalidQuery,
                "A list of \(values.count) values is longer than the \(maximumListedValues) that `in` takes. Split it.",
                attribute: attribute)
        }
        return AnyCondition(.among(attribute: attribute, values), depth: 1, terms: 1)
    }

    static func among(_ attribute: String, encoded values: [Result<StoredValue, GranaryError>]) -> AnyCondition {
        var stored: [StoredValue] = []
        stored.reserveCapacity(values.count)
        for value in values {
            switch value {
            case .success(let value): stored.append(value)
            case .failure(let error): return .invalid(error, attribute: attribute)
            }
        }
        return among(attribute, stored)
    }

    static func invalid(_ error: GranaryError, attribute: String) -> AnyCondition {
        .invalid(error.code, error.message, attribute: attribute)
    }

    public static func not(_ condition: AnyCondition) -> AnyCondition {
        switch condition.root {
        case .not(let inner): AnyCondition(inner, depth: condition.depth - 1, terms: condition.terms)
        case .always(let value): .always(!value)
        case .invalid: condition
        default: AnyCondition(.not(condition.root), depth: condition.depth + 1, terms: condition.terms)
        }
    }

    /// True where every one is; of no conditions at all, true. Nested conjunctions are joined into one.
    public static func all(_ conditions: [AnyCondition]) -> AnyCondition {
        joined(conditions, empty: true) {
            if case .all(let children) = $0 { children } else { nil }
        } make: {
            .all($0)
        }
    }

    /// True where at least one is; of no conditions at all, false. Nested disjunctions are joined into one.
    public static func any(_ conditions: [AnyCondition]) -> AnyCondition {
        joined(conditions, empty: false) {
            if case .any(let children) = $0 { children } else { nil }
        } make: {
            .any($0)
        }
    }

    private static func joined(
        _ conditions: [AnyCondition], empty: Bool, children: (Node) -> [Node]?, make: ([Node]) -> Node
    ) -> AnyCondition {
        if conditions.count == 1 { return conditions[0] }
        guard !conditions.isEmpty else { return .always(empty) }
        if let invalid = conditions.first(where: { if case .invalid = $0.root { true } else { false } }) {
            return invalid
        }
        var nodes: [Node] = []
        var depth = 0
        var terms = 0
        for condition in conditions {
            terms += condition.terms
            if let inner = children(condition.root) {
                nodes.append(contentsOf: inner)
                depth = max(depth, condition.depth - 1)
            } else {
                nodes.append(condition.root)
                depth = max(depth, condition.depth)
            }
        }
        return AnyCondition(make(nodes), depth: depth + 1, terms: terms)
    }
}

extension AnyCondition: CustomStringConvertible {
    /// The condition as it would be written, with values of dates, decimals and such in their stored form.
    public var description: String { AnyCondition.text(root, isOutermost: true) }

    private static func text(_ node: Node, isOutermost: Bool) -> String {
        func group(_ nodes: [Node], _ separator: String) -> String {
            let joined = nodes.map { text($0, isOutermost: false) }.joined(separator: separator)
            return isOutermost ? joined : "(\(joined))"
        }
        return switch node {
        case .always(let value): value ? "true" : "false"
        case .compare(let attribute, let comparison, let value): "\(attribute) \(comparison.rawValue) \(value)"
        case .among(let attribute, let values):
            "\(attribute) in [\(values.map(\.description).joined(separator: ", "))]"
        case .all(let nodes): group(nodes, " && ")
        case .any(let nodes): group(nodes, " || ")
        case .not(let inner): "!\(text(inner, isOutermost: false))"
        case .invalid(let code, _, _): "<\(code)>"
        }
    }
}

extension StoredValue: CustomStringConvertible {
    public var description: String {
        switch self {
        case .null: "nil"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let utf8): "\"\(String(decoding: utf8, as: UTF8.self))\""
        case .bytes(let bytes): "x'\(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())'"
        }
    }
}
