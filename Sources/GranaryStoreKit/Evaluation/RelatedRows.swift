/// What conditions and expressions ask a store about other records than the one at hand.
///
/// What is returned is for one query on one thread, and ends with the state it was asked of. Cells point into the store
/// and stay until the call that is named.
package protocol RelatedRows: AnyObject {
    func entity(at position: Int) throws -> Entity
    /// Finds records of an entity by key.
    func lookup(of entity: Int) throws -> any RowLookup
    /// Finds the records of an entity whose attribute at a position refers to a key.
    func referrers(of entity: Int, by position: Int) throws -> any ReferringRows
    /// Lends each value of the one column that a request has.
    func forEachValue(of request: FetchRequest, _ body: (Cell) throws -> Void) throws
}

/// The records of one entity by their keys.
package protocol RowLookup: AnyObject {
    /// The cells of the record with a key until the next call, or nil if there is none, as for nil. Asked for keys that
    /// were asked for lately, it answers from memory.
    func cells(of key: Cell) throws -> UnsafePointer<Cell>?
}

/// The records that refer to another by one attribute.
package protocol ReferringRows: AnyObject {
    /// Begins with the first record that refers to a key.
    func begin(_ key: Cell) throws
    /// Goes to the next record, without reading it. Returns false at the end.
    func skip() throws -> Bool
    /// The cells of the next record until the next call; nil at the end.
    func next() throws -> UnsafePointer<Cell>?
}
