package import ConformanceKit
import Foundation
package import GranaryCore

/// The music shop with contents of few records, in a store without indexes of its own and, in a fresh run, in one with an
/// index over everything. A question is put to both, and what it leaves out and its order turned round are asked too.
package struct Shop {
    package let trial: Trial
    private let indexed: Stack?

    package init(_ trial: Trial, filled: Bool = true) throws {
        self.trial = trial
        try trial.open(SuiteSchema.shop)
        let path = trial.folder + "/Indexed.granary"
        indexed = trial.mode == .fresh ? try trial.another(SuiteSchema.indexedShop, at: path) : nil
        if filled { try write(Shop.fill) }
    }

    /// The same write to both.
    package func write(_ body: (Transaction) throws -> Void) throws {
        try trial.write(body)
        try indexed?.blocking.write(body)
    }

    /// A read of each.
    package func read(_ body: (Snapshot) throws -> Void) throws {
        try trial.read(body)
        try indexed?.blocking.read(body)
    }

    /// Fails unless a query gives the records with these keys; so for its count, what its condition leaves out, and its
    /// order turned round.
    package func expect<R: Record>(_ query: Query<R>, _ keys: [Int64], file: String = #fileID, line: Int = #line) throws
    where R.Key == Int64 {
        let text =
            "\(R.entityName) \(query.untyped.condition.map { "\($0)".prefix(300) } ?? "all") \(query.untyped.order)"
        try read { snapshot in
            try expectEqual(try snapshot.fetch(query).map(\.id), keys, text, file: file, line: line)
            try expectEqual(try snapshot.count(query), keys.count, "count of \(text)", file: file, line: line)
            guard query.untyped.limit == nil && query.untyped.offset == 0 else { return }
            let reversed = try snapshot.fetch(query.reversed()).map(\.id)
            try expectEqual(reversed, keys.reversed(), "\(text) reversed", file: file, line: line)
            guard let condition = query.untyped.condition else { return }
            let rest = try snapshot.fetch(R.where { _ in !Condition(condition) }).map(\.id)
            let all = try snapshot.fetch(R.all).map(\.id)
            try expectEqual(rest, all.filter { !keys.contains($0) }, "not \(text)", file: file, line: line)
        }
    }

    /// Fails unless a condition holds of the songs with these keys.
    package func songs(
        _ keys: [Int64], file: String = #fileID, line: Int = #line, where condition: (Song.Fields) -> Condition<Song>
    ) throws {
        try expect(Song.where(condition), keys, file: file, line: line)
    }

    /// Fails unless a query throws.
    package func expectFailure<R: Record>(
        _ code: GranaryError.Code, entity: String? = nil, attributes: [String]? = nil, of query: Query<R>,
        file: String = #fileID, line: Int = #line
    ) throws {
        try read { snapshot in
            try expectError(code, entity: entity, attributes: attributes, file: file, line: line) {
                try snapshot.fetch(query).count
            }
            try expectError(code, entity: entity, attributes: attributes, file: file, line: line) {
                try snapshot.count(query)
            }
        }
    }

    // MARK: - Columns and aggregates, as a store is asked for them

    /// Fails unless a query with columns or aggregates is answered so.
    package func expect(_ made: MadeQuery, _ expected: [[StoredValue]], file: String, line: Int) throws {
        try read { try expectEqual(try made.answer($0), expected, made.description, file: file, line: line) }
    }

    /// Fails unless the rows of a query have these columns.
    package func expect<R: Record>(
        _ query: Query<R>, select columns: [AnyExpression], distinct: Bool = false, _ expected: [[StoredValue]],
        file: String = #fileID, line: Int = #line
    ) throws {
        var made = MadeQuery(query)
        made.query.columns = columns.map(\.root)
        made.query.isDistinct = distinct
        try expect(made, expected, file: file, line: line)
    }

    /// Fails unless the groups of a query, in the order of their values, have these aggregates.
    package func expect<R: Record>(
        _ query: Query<R>, by groups: [AnyExpression] = [], give aggregates: [ReferenceQuery.Aggregate],
        _ expected: [[StoredValue]], file: String = #fileID, line: Int = #line
    ) throws {
        try expect(MadeQuery(query, by: groups, give: aggregates), expected, file: file, line: line)
    }
}

extension MadeQuery {
    package init<R: Record>(
        _ query: Query<R>, by groups: [AnyExpression] = [], give aggregates: [ReferenceQuery.Aggregate] = []
    ) {
        self.init(
            ReferenceQuery(
                R.entityName, order: query.untyped.order, limit: query.untyped.limit, offset: query.untyped.offset),
            query.untyped.condition)
        self.query.groups = groups.map(\.root)
        self.query.aggregates = aggregates
    }
}

extension ReferenceQuery.Aggregate {
    /// How many rows.
    package static let rows = ReferenceQuery.Aggregate(.count, nil)

    package static func of(_ function: AggregateFunction, _ expression: AnyExpression, distinct: Bool = false) -> Self {
        Self(function, expression.root, isDistinct: distinct)
    }

    /// Of an attribute or a path.
    package static func of(_ function: AggregateFunction, _ path: String, distinct: Bool = false) -> Self {
        of(function, .attribute(path), distinct: distinct)
    }
}

/// A row of values, in their stored form.
package func row(_ values: (any AttributeValue)?...) throws -> [StoredValue] {
    try values.map { value in try value.map { try stored($0) } ?? .null }
}

private func stored<Value: AttributeValue>(_ value: Value) throws -> StoredValue { try StoredValue(encoding: value) }

extension QueryExpression {
    /// True of records whose value is among those of a column of another query's records.
    package func among<Other: Record>(
        _ query: Query<Other>, _ column: (Other.Fields) -> some QueryExpression
    ) -> Condition<Root> {
        let column = column(Other.fields).untyped
        let subquery = AnySubquery(
            Other.entityName, column: column, condition: query.untyped.condition, order: query.untyped.order,
            limit: query.untyped.limit,
            offset: query.untyped.offset)
        return Condition(.amongRows(untyped, subquery))
    }
}
