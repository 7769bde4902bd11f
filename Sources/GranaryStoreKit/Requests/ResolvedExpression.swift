/// An expression as a store runs it: attributes and entities by position, checked.
///
/// nil goes through: an expression of nil is nil, except `ifNil` and the count of a relationship.
public indirect enum ResolvedExpression: Sendable, Hashable {
    case attribute(Int)
    case value(StoredValue)
    /// An expression of the record that a reference names; nil where there is none.
    case toOne(position: Int, entity: Int, ResolvedExpression)
    case arithmetic(ArithmeticOperator, ResolvedExpression, ResolvedExpression, NumberKind)
    case function(ResolvedFunction, ResolvedExpression)
    case ifNil(ResolvedExpression, ResolvedExpression)
    /// Over the records of another entity that refer to this one.
    case aggregate(RelatedAggregate)
}

/// An aggregate over the records of an entity whose attribute at a position refers to the record at hand.
public struct RelatedAggregate: Sendable, Hashable {
    public var function: AggregateFunction
    public var entity: Int
    public var position: Int
    public var condition: ResolvedCondition?
    /// Of the entity's records; nil to count them.
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

    /// The position, if the expression is an attribute and nothing else.
    public var position: Int? { if case .attribute(let position) = expression { position } else { nil } }
}
