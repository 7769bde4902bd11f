import GranaryStoreKit

/// The attributes whose values are read, by position. Positions from 63 on share one bit: all of them or none.
struct ColumnSet: Hashable {
    private var bits: UInt64 = 0
    /// The number of attributes; `Int.max` if it is not known.
    private(set) var count = 0

    static let all = ColumnSet(bits: .max, count: .max)

    init() {}
    init(_ positions: [Int]) {
        for position in positions { insert(position) }
    }
    init(_ columns: [TypedExpression], of table: Table) {
        for column in columns { insert(column.expression, of: table) }
    }
    private init(bits: UInt64, count: Int) {
        self.bits = bits
        self.count = count
    }

    /// The bit that stands for an attribute.
    static func bit(_ position: Int) -> UInt64 { 1 << UInt64(min(position, 63)) }

    @inline(__always) func contains(bit: UInt64) -> Bool { bits & bit != 0 }

    mutating func insert(_ position: Int) {
        bits |= ColumnSet.bit(position)
        count = bits >> 63 != 0 ? .max : bits.nonzeroBitCount
    }

    // The depth is bounded where conditions are resolved.
    /// Adds the attributes of the row itself that a condition reads.
    mutating func insert(_ condition: ResolvedCondition, of table: Table) {
        switch condition {
        case .compare(let position, _, _), .among(let position, _), .notAmong(let position, _),
            .toOne(let position, _, _, _):
            insert(position)
        case .toMany: insert(table.keyPosition)
        case .always, .relation, .listed, .text, .amongRows, .all, .any: break
        }
        if condition.target == nil { condition.forEachChild { insert($0, of: table) } }
    }

    /// Adds the attributes of the row itself that an expression reads.
    mutating func insert(_ expression: ResolvedExpression, of table: Table) {
        switch expression {
        case .attribute(let position), .toOne(let position, _, _): insert(position)
        case .aggregate: insert(table.keyPosition)
        case .value, .arithmetic, .function, .ifNil, .given, .words: break
        }
        if expression.target == nil { expression.forEachChild { insert($0, of: table) } }
    }

    private mutating func insert(_ child: ResolvedChild, of table: Table) {
        switch child {
        case .condition(let condition): insert(condition, of: table)
        case .expression(let expression): insert(expression, of: table)
        // A subquery reads rows of its own.
        case .request: break
        }
    }
}
