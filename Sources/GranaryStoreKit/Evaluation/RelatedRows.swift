/// Gives conditions and expressions access to other records than the current one.
///
/// The returned objects belong to one query on one thread, and end with the state that they read. Cells point into the
/// store and stay valid until the call that is documented.
package protocol RelatedRows: AnyObject {
    func entity(at position: Int) throws -> Entity
    /// Finds records of an entity by key.
    func lookup(of entity: Int) throws -> any RowLookup
    /// Finds the records of an entity whose attribute at a position refers to a key.
    func referrers(of entity: Int, by position: Int) throws -> any ReferringRows
    /// Lends each value of a request with a single column.
    func forEachValue(of request: FetchRequest, _ body: (Cell) throws -> Void) throws
}

/// The records of one entity by their keys.
package protocol RowLookup: AnyObject {
    /// The cells of the record with a key until the next call. Nil if the record does not exist, or the key is nil.
    /// Recently requested keys are answered from memory.
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
