import GranaryStoreKit

/// The table whose rows a part of a statement is about.
///
/// The table of the statement itself has its own name; those of nested `SELECT`s have a number as name: `"1"`, which is
/// not an entity's name. A column's name alone means the innermost table; a nested `SELECT` qualifies columns of other
/// tables.
struct SQLScope {
    let table: EntitySQL
    /// The quoted name.
    let name: String
    /// Whether columns are always written with the table's name: true if several tables are joined.
    var isQualified = false
    /// The number of enclosing `SELECT`s.
    var level = 0
    /// Whether a limit makes the number of rows small.
    private var isLimited = false
    private var condition: ResolvedCondition?

    init(_ table: EntitySQL) {
        self.table = table
        name = table.table
    }

    /// The table of a statement over the rows of a request.
    init(_ table: EntitySQL, _ request: FetchRequest) {
        self.init(table)
        isLimited = request.limit != nil
        condition = request.condition
    }

    init(
        _ table: EntitySQL, alias: String, level: Int, isLimited: Bool, condition: ResolvedCondition? = nil,
        isQualified: Bool = false
    ) {
        self.table = table
        name = alias
        self.level = level
        self.isLimited = isLimited
        self.condition = condition
        self.isQualified = isQualified
    }

    /// Whether few rows are expected, because of a limit or the condition. Computed only when needed: most conditions
    /// use no other table.
    func isNarrow(_ tables: [EntitySQL]) -> Bool {
        isLimited || (condition.map { table.isIndexed($0, tables) } ?? false)
    }

    /// A column as written in this scope.
    func column(_ position: Int) -> String {
        isQualified ? "\(name).\(table.names[position])" : table.names[position]
    }

    /// A column as written in a nested `SELECT`.
    func outerColumn(_ position: Int) -> String { "\(name).\(table.names[position])" }

    var key: String { column(table.keyPosition) }
    var outerKey: String { outerColumn(table.keyPosition) }
}

// Properties of an expression that are known before it is computed.
extension SQLScope {
    func mayBeNil(_ expression: ResolvedExpression, _ tables: [EntitySQL]) -> Bool {
        SQLScope.mayBeNil(expression, table, tables)
    }

    func storage(_ expression: ResolvedExpression, _ tables: [EntitySQL]) -> Cell.Kind {
        SQLScope.storage(expression, table, tables)
    }

    private static func mayBeNil(_ expression: ResolvedExpression, _ table: EntitySQL, _ tables: [EntitySQL]) -> Bool {
        switch expression {
        case .attribute(let position): return table.entity.attributes[position].isOptional
        case .value(let value): return value == .null
        case .toOne(let position, let entity, let inner):
            let attribute = table.entity.attributes[position]
            return attribute.isOptional || attribute.reference?.onDelete == .noAction
                || mayBeNil(inner, tables[entity], tables)
        case .arithmetic(_, let left, let right, _):
            return mayBeNil(left, table, tables) || mayBeNil(right, table, tables)
        case .function(let function, let inner): return function.mayGiveNil || mayBeNil(inner, table, tables)
        case .ifNil(_, let second): return mayBeNil(second, table, tables)
        case .given: return true
        case .words: return false
        case .aggregate(let aggregate): return aggregate.function != .count && aggregate.function != .sum
        }
    }

    private static func storage(_ expression: ResolvedExpression, _ table: EntitySQL, _ tables: [EntitySQL])
        -> Cell.Kind
    {
        switch expression {
        case .attribute(let position): return table.entity.attributes[position].type.storage
        case .value(let value): return value.kind
        case .toOne(_, let entity, let inner): return storage(inner, tables[entity], tables)
        case .arithmetic(_, _, _, let kind): return kind.storage
        case .function(let function, _): return function.storage
        case .ifNil(let inner, _), .given(_, let inner): return storage(inner, table, tables)
        case .words(let question, _): return question.ranking == nil ? .integer : .real
        case .aggregate(let aggregate):
            let type = aggregate.expression.map { aggregate.function.resultType(of: $0.type) ?? $0.type }
            return (type ?? .int64).storage
        }
    }
}
