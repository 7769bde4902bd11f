import GranaryCore

extension Plan {
    /// One part of an order.
    struct SortTerm: Hashable {
        var value: TypedExpression
        var isDescending: Bool
        var nilsFirst: Bool
        /// The attribute, if the term is one, with nils where an index has them.
        var position: Int?

        init(_ term: FetchRequest.OrderTerm) {
            value = term.value
            isDescending = term.isDescending
            nilsFirst = term.nilsFirst
            position = term.plainPosition
        }

        /// By the key, which is never nil.
        init(key table: Table, isDescending: Bool) {
            let type = table.entity.attributes[table.keyPosition].type
            self.init(
                FetchRequest.OrderTerm(
                    TypedExpression(.attribute(table.keyPosition), type, isOptional: false), isDescending: isDescending)
            )
        }

        /// The whole order of a request that is not distinct: each attribute once, ending with the key.
        static func order(of request: FetchRequest, _ table: Table) -> [SortTerm] {
            var order: [SortTerm] = []
            for term in request.order.map(SortTerm.init) {
                if let position = term.position {
                    if order.contains(where: { $0.position == position }) { continue }
                    order.append(term)
                    if position == table.keyPosition { return order }
                } else {
                    order.append(term)
                }
            }
            return order + [SortTerm(key: table, isDescending: request.order.last?.isDescending ?? false)]
        }

        /// For people: `name`, `nils last name`.
        func name(_ entity: Entity) -> String {
            let name = value.expression.name(entity)
            return position == nil && value.position != nil ? "\(name) nils \(nilsFirst ? "first" : "last")" : name
        }
    }
}

extension ResolvedExpression {
    /// For people, as far as one entity knows: `name`, `album.(...)`, `length(title)`.
    func name(_ entity: Entity) -> String {
        switch self {
        case .attribute(let position):
            entity.attributes.indices.contains(position) ? entity.attributes[position].name : "?"
        case .value: "?"
        case .toOne(let position, _, _): "\(ResolvedExpression.attribute(position).name(entity)).(...)"
        case .arithmetic(let operation, _, _, _): "(... \(operation.rawValue) ...)"
        case .date(let component, let inner, _): "\(component.rawValue)(\(inner.bounded(entity)))"
        case .folded(let inner, let folding): "\(inner.bounded(entity))\(folding)"
        case .length(let inner): "length(\(inner.bounded(entity)))"
        case .json(let inner, let path, _): "\(inner.bounded(entity)).\(path)"
        case .real(let inner): inner.bounded(entity)
        case .ifNil(let first, _): "ifNil(\(first.bounded(entity)), ...)"
        case .aggregate(let aggregate): "\(aggregate.function.rawValue)(...)"
        }
    }

    private func bounded(_ entity: Entity) -> String {
        if case .attribute = self { name(entity) } else { "..." }
    }
}
