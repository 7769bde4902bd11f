/// The rows of a store in one state, as ``RequestEvaluator`` and the rules ask for them: what an engine without queries of
/// its own offers to get them.
///
/// A ``StoreReader`` that is a `RowSource` has `find`, `rows` and `count` by default.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `check` | throws `closed` after the end, `cancelled` once the reader's flag is set; is quick |
/// | `row` | the row with exactly this key |
/// | `forEachRow` | each row for which the condition holds, once, in any order; it may give others |
/// | `keys` | the keys of exactly the rows that hold the value |
///
/// Nothing is written while a call of these runs.
public protocol RowSource: AnyObject {
    var rules: SchemaRules { get }
    /// Grows when a row is written, or a savepoint is rolled back: cursors made before end then. 0 by default.
    var version: Int { get }
    /// Nil at first: keeps the row that ``StoreReader/find(_:in:)`` gave last.
    var lent: StoredRow? { get set }
    /// Called for every few rows that are looked at, and for each that is given.
    func check() throws
    func row(_ key: StoredValue, of entity: Int) throws -> StoredRow?
    /// Calls `body` with the rows of an entity. The condition is a hint: a source with an index of its own leaves out rows
    /// by it, any other ignores it.
    func forEachRow(
        of entity: Int, where condition: ResolvedCondition?, _ body: (StoredRow) throws -> Void) throws
    /// The keys of the rows that hold a value in one of the entity's ``SchemaRules/lookups(of:)``. By default all rows are
    /// looked at, for every row that is written: a source of more than a few keeps an index for each lookup.
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
