/// An expression in the form for stores: attributes and entities by position, checked.
///
/// An expression with nil as input is nil, except `ifNil` and the count of a relationship.
public indirect enum ResolvedExpression: Sendable, Hashable {
    case attribute(Int)
    case value(StoredValue)
    /// An expression of the record that a reference names; nil if the record does not exist.
    case toOne(position: Int, entity: Int, ResolvedExpression)
    case arithmetic(ArithmeticOperator, ResolvedExpression, ResolvedExpression, NumberKind)
    case function(ResolvedFunction, ResolvedExpression)
    case ifNil(ResolvedExpression, ResolvedExpression)
    /// The expression where the condition holds of the record; else nil.
    case given(ResolvedCondition, ResolvedExpression)
    /// Whether texts answer a question about their words, 1 or 0; if the question has a ranking, how well they do.
    case words(WordQuestion, [ResolvedExpression])
    /// An aggregate over the records of another entity that refer to this record.
    case aggregate(RelatedAggregate)
}

/// An aggregate over the records of an entity whose attribute at a position refers to the current record.
public struct RelatedAggregate: Sendable, Hashable {
    public var function: AggregateFunction
    public var entity: Int
    public var position: Int
    public var condition: ResolvedCondition?
    /// An expression of the entity's records; nil to count them.
    public var expression: TypedExpression?
    /// Whether equal values count once.
    public var isDistinct: Bool

    public init(
        _ function: AggregateFunction, entity: Int, position: Int, condition: ResolvedCondition? = nil,
        expression: TypedExpression? = nil, isDistinct: Bool = false
    ) {
        self.function = function
        self.entity = entity
        self.position = position
        self.condition = condition
        self.expression = expression
        self.isDistinct = isDistinct
    }
}

/// An expression with the type of its values.
public struct TypedExpression: Sendable, Hashable {
    public var expression: ResolvedExpression
    public var type: AttributeType
    public var isOptional: Bool

    public init(_ expression: ResolvedExpression, _ type: AttributeType, isOptional: Bool) {
        self.expression = expression
        self.type = type
        self.isOptional = isOptional
    }

    /// The position, if the expression is just an attribute.
    public var position: Int? { if case .attribute(let position) = expression { position } else { nil } }
}
