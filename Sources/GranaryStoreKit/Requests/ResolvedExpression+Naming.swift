extension ResolvedExpression {
    /// The expression for display, in terms of one entity: `name`, `album.(...)`, `title.length`.
    package func name(_ entity: Entity) -> String {
        switch self {
        case .attribute(let position):
            entity.attributes.indices.contains(position) ? entity.attributes[position].name : "?"
        case .value: "?"
        case .toOne(let position, _, _): "\(ResolvedExpression.attribute(position).name(entity)).(...)"
        case .arithmetic(let operation, _, _, _): "(... \(operation.rawValue) ...)"
        case .function(let function, let inner): function.text(of: inner.bounded(entity))
        case .ifNil(let first, _): "ifNil(\(first.bounded(entity)), ...)"
        case .given(_, let inner): "(\(inner.bounded(entity)) where ...)"
        case .words(let question, _): question.ranking == nil ? "search(...)" : "rank(...)"
        case .aggregate(let aggregate): "\(aggregate.function.rawValue)(...)"
        }
    }

    private func bounded(_ entity: Entity) -> String {
        if case .attribute = self { name(entity) } else { "..." }
    }
}
