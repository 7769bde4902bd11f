import ConformanceKit
package import GranaryCore

extension ReferenceState {
    /// The rows a query by names asks for.
    package func rows(
        of entity: Int, where condition: AnyCondition?, order: [Ordering], limit: Int?, offset: Int
    ) throws -> [[StoredValue]] {
        try ReferenceEvaluator(self).rows(
            ReferenceQuery(
                schema.entities[entity].name, condition: condition?.root, order: order, limit: limit, offset: offset))
    }
}
