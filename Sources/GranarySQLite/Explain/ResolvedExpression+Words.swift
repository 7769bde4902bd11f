import GranaryStoreKit

extension ResolvedExpression {
    /// The expression for display: `album.title`, `released.year`.
    func words(_ table: EntitySQL, _ tables: [EntitySQL]) -> String {
        func words(_ inner: ResolvedExpression) -> String { inner.words(table, tables) }
        switch self {
        case .attribute(let position): return table.entity.attributes[position].name
        case .value: return "?"
        case .toOne(let position, let entity, let inner):
            return table.entity.attributes[position].name + "." + inner.words(tables[entity], tables)
        case .arithmetic(let operation, let left, let right, _):
            return "(\(words(left)) \(operation.rawValue) \(words(right)))"
        case .function(let function, let inner): return function.text(of: words(inner))
        case .ifNil(let first, let second): return "(\(words(first)) ?? \(words(second)))"
        case .given(_, let inner): return "(\(words(inner)) where ...)"
        case .words: return name(table.entity)
        case .aggregate(let aggregate):
            let of = aggregate.expression.map { $0.expression.words(tables[aggregate.entity], tables) } ?? ""
            return
                "\(aggregate.function.rawValue) of \(tables[aggregate.entity].entity.name)\(of.isEmpty ? "" : ".\(of)")"
        }
    }
}
