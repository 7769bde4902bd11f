import GranaryStoreKit

extension Plan {
    /// One part of an order.
    struct SortTerm: Hashable {
        var value: TypedExpression
        var isDescending: Bool
        var nilsFirst: Bool
        /// The attribute, if the term is an attribute with nils at their position in an index.
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

        /// The term for display: `name`, `nils last name`.
        func name(_ entity: Entity) -> String {
            let name = value.expression.name(entity)
            return position == nil && value.position != nil ? "\(name) nils \(nilsFirst ? "first" : "last")" : name
        }
    }
}
