// What one writes by habit of other libraries, so that the compiler answers with what to write here.

extension Request where Root: Record, Output == Root {
    @available(*, unavailable, renamed: "where(_:)")
    public func filter(@ConditionBuilder<Root> _ condition: (Root.Fields) -> Condition<Root>) -> Request {
        self.where(condition)
    }

    @available(*, unavailable, renamed: "select(_:)")
    public func map<Value: QueryExpression>(_ value: (Root.Fields) -> Value) -> Request<Root, Value.Value> {
        select(value)
    }

    @available(*, unavailable, message: "Group by one tuple: `grouped(by: { ($0.country, $0.year) })`.")
    public func grouped<First: QueryExpression, each Other: QueryExpression>(
        by first: (Root.Fields) -> First, _ others: repeat (Root.Fields) -> each Other
    ) -> Groups<Root> {
        Groups(rows: untyped, grouping: AnyGrouping(by: [first(Root.fields).untyped], columns: []))
    }
}

extension Request {
    @available(*, unavailable, message: "Ask in a read: `try await stack.read { try request.fetch(in: $0) }`.")
    @_disfavoredOverload
    public func fetch(in stack: Stack) throws -> [Output] { [] }
}

extension ReadContext {
    @available(*, unavailable, message: "Fetch the request for all records: `fetch(Song.all)`.")
    @_disfavoredOverload
    public final func fetch<R: Record>(_ type: R.Type) throws -> [R] { try type.all.fetch(in: self) }
}
