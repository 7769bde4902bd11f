// One aggregate over a query's records; several in one pass are ``ReadContext/aggregate(_:)``.
extension Query {
    /// The sum of a value over the records; 0 of nothing.
    public func sum<Value: QueryExpression>(
        _ value: (Root.Fields) -> Value, in context: ReadContext
    ) throws -> Value.Value.Unwrapped.Sum where Value.Root == Root, Value.Value.Unwrapped: NumericAttributeValue {
        try context.sum(self, value)
    }

    /// The average of a value over the records; nil of nothing.
    public func average<Value: QueryExpression>(
        _ value: (Root.Fields) -> Value, in context: ReadContext
    ) throws -> Value.Value.Unwrapped.Average.Nilable
    where Value.Root == Root, Value.Value.Unwrapped: NumericAttributeValue {
        try context.average(self, value)
    }

    /// The least value over the records; nil of nothing.
    public func minimum<Value: QueryExpression>(
        _ value: (Root.Fields) -> Value, in context: ReadContext
    ) throws -> Value.Value.Nilable where Value.Root == Root {
        try context.minimum(self, value)
    }

    /// The greatest value over the records; nil of nothing.
    public func maximum<Value: QueryExpression>(
        _ value: (Root.Fields) -> Value, in context: ReadContext
    ) throws -> Value.Value.Nilable where Value.Root == Root {
        try context.maximum(self, value)
    }
}

// The same on the main context of the default stack; see ``Stack/default``.
@MainActor extension Query {
    /// The sum of a value over the records; 0 of nothing.
    public func sum<Value: QueryExpression>(
        _ value: (Root.Fields) -> Value
    ) throws -> Value.Value.Unwrapped.Sum where Value.Root == Root, Value.Value.Unwrapped: NumericAttributeValue {
        try Stack.reading { try sum(value, in: $0) }
    }

    /// The average of a value over the records; nil of nothing.
    public func average<Value: QueryExpression>(
        _ value: (Root.Fields) -> Value
    ) throws -> Value.Value.Unwrapped.Average.Nilable
    where Value.Root == Root, Value.Value.Unwrapped: NumericAttributeValue {
        try Stack.reading { try average(value, in: $0) }
    }

    /// The least value over the records; nil of nothing.
    public func minimum<Value: QueryExpression>(
        _ value: (Root.Fields) -> Value
    ) throws -> Value.Value.Nilable where Value.Root == Root {
        try Stack.reading { try minimum(value, in: $0) }
    }

    /// The greatest value over the records; nil of nothing.
    public func maximum<Value: QueryExpression>(
        _ value: (Root.Fields) -> Value
    ) throws -> Value.Value.Nilable where Value.Root == Root {
        try Stack.reading { try maximum(value, in: $0) }
    }
}
