/// The rows of a store in one state, for ``RequestEvaluator`` and the rules: an engine without queries of its own
/// conforms to it to get queries.
///
/// A ``StoreReader`` that is a `RowSource` has `find`, `rows` and `count` by default.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `check` | throws `closed` after the end, `cancelled` once the reader's flag is set; is quick |
/// | `row` | the row with exactly this key |
/// | `forEachRow` | each row for which the condition holds, once, in any order; it may also give other rows |
/// | `keys` | the keys of exactly the rows that hold the value |
///
/// Nothing is written while a call of these runs.
public protocol RowSource: AnyObject {
    var rules: SchemaRules { get }
    /// Increased when a row is written or a savepoint is rolled back, which ends earlier cursors. 0 by default.
    var version: Int { get }
    /// Nil at first: keeps the row that ``StoreReader/find(_:in:)`` returned last.
    var lent: StoredRow? { get set }
    /// Called after every few rows that are looked at, and for each row that is returned.
    func check() throws
    func row(_ key: StoredValue, of entity: Int) throws -> StoredRow?
    /// Calls `body` with the rows of an entity. The condition is a hint: a source with an index of its own can use it
    /// to leave out rows; any other source ignores it.
    func forEachRow(
        of entity: Int, where condition: ResolvedCondition?, _ body: (StoredRow) throws -> Void) throws
    /// The keys of the rows that hold a value in one of the entity's ``SchemaRules/lookups(of:)``. By default it looks
    /// at all rows, for every row that is written: a source with more than a few rows should keep an index for each
    /// lookup.
    func keys(holding value: StoredValue, _ lookup: Int, of entity: Int) throws -> [StoredValue]
}

extension RowSource {
    public var version: Int { 0 }

    public func keys(holding value: StoredValue, _ lookup: Int, of entity: Int) throws -> [StoredValue] {
        let values = rules.lookups(of: entity)[lookup]
        let keyPosition = try rules.entity(at: entity).keyPosition
        var keys: [StoredValue] = []
        try forEachRow(of: entity, where: nil) { row in
            if values.value(of: row) == value { keys.append(row.value(at: keyPosition)) }
        }
        return keys
    }
}

extension StoreReader where Self: RowSource {
    public var schema: Schema { rules.schema }

    public func find(_ key: Cell, in entity: Int) throws -> Row? {
        try check()
        _ = try rules.entity(at: entity)
        lent = try row(StoredValue(key), of: entity)
        return lent?.row
    }

    public func rows(_ request: FetchRequest) throws -> any RowCursor { try RequestEvaluator(self).rows(request) }
    public func count(_ request: FetchRequest) throws -> Int { try RequestEvaluator(self).count(request) }
}
