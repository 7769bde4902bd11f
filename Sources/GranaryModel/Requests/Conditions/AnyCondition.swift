/// A condition by attribute names: a tree that can be compared, printed and encoded as a value.
///
/// Its depth is at most ``maximumDepth`` and it has at most ``maximumTerms`` terms. A larger tree becomes a condition
/// that throws `invalidQuery` when it is run: an enum nested without bound would crash when it is freed.
///
/// An attribute is given by its name or by a path through to-one relationships: `name`, `album.artist.name`. A path
/// through a missing record is nil.
public struct AnyCondition: Sendable, Hashable {
    public static let maximumDepth = 100
    public static let maximumTerms = 10_000
    public static let maximumListedValues = 100_000

    /// The tree's nodes.
    public indirect enum Node: Sendable, Hashable {
        case always(Bool)
        case compare(attribute: String, Comparison, StoredValue)
        case among(attribute: String, [StoredValue])
        /// A comparison of two expressions.
        case relation(AnyExpression.Node, Comparison, AnyExpression.Node)
        /// An expression equals one of these.
        case listed(AnyExpression.Node, [AnyExpression.Node])
        /// A text matches a pattern.
        case text(AnyExpression.Node, TextMatch)
        /// The condition holds for at least one record of a to-many relationship. If the condition is nil, at least one
        /// record exists.
        case exists(relationship: String, Node?)
        /// An expression equals one of the values of another query.
        case amongRows(AnyExpression.Node, AnySubquery)
        /// A search for words: in the record itself (an empty path), in the record at the end of a path through to-one
        /// relationships, or in one attribute.
        case search(path: String, SearchText)
        case all([Node])
        case any([Node])
        case not(Node)
        /// A part that cannot be run, with the error.
        case invalid(code: GranaryError.Code, message: String, attribute: String?)
    }

    public let root: Node
    /// The length of the longest path from the root to a term.
    public let depth: Int
    /// The number of comparisons.
    public let terms: Int

    init(_ root: Node, depth: Int, terms: Int) {
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

    package static func invalid(_ code: GranaryError.Code, _ message: String, attribute: String? = nil) -> AnyCondition
    {
        AnyCondition(checked: .invalid(code: code, message: message, attribute: attribute), depth: 1, terms: 1)
    }

    package static func invalid(_ error: GranaryError, attribute: String?) -> AnyCondition {
        .invalid(error.code, error.message, attribute: attribute)
    }
}

/// The subquery of a condition: a column of some records.
public struct AnySubquery: Sendable, Hashable {
    public var entity: String
    public var column: AnyExpression.Node
    public var condition: AnyCondition.Node?
    public var order: [Ordering]
    public var limit: Int?
    public var offset: Int
    /// Whether limit and offset count different values. In that case the order is by the column.
    public var isDistinct: Bool

    public init(
        _ entity: String, column: AnyExpression, condition: AnyCondition? = nil, order: [Ordering] = [],
        limit: Int? = nil, offset: Int = 0, isDistinct: Bool = false
    ) {
        self.entity = entity
        self.column = column.root
        self.condition = condition?.root
        self.order = (isDistinct ? order.explicit : order.effective).settled
        self.limit = limit
        self.offset = offset
        self.isDistinct = isDistinct
    }
}
