import ConformanceKit
package import GranaryCore

extension ReferenceState {
    /// How well each record of an entity answers a search, by key.
    package func ranks(of entity: Int, by search: SearchText) throws -> [StoredValue: Double] {
        let rows = Array(tables[entity])
        let ranks = try ReferenceEvaluator(self).ranks(search, of: entity, rows.map(\.value))
        return Dictionary(uniqueKeysWithValues: zip(rows.map(\.key), ranks))
    }

    /// The rows a query by names asks for.
    package func rows(
        of entity: Int, where condition: AnyCondition?, order: [Ordering], limit: Int?, offset: Int
    ) throws -> [[StoredValue]] {
        try ReferenceEvaluator(self).rows(
            ReferenceQuery(
                schema.entities[entity].name, condition: condition?.root, order: order, limit: limit, offset: offset))
    }
}
