/// Fills a store with the contents of another: used by copies, seeds, resets and migrations that rewrite records. By
/// default a store cannot be filled (``Capability/filling``).
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `beginFilling` | the first call of its transaction: the old records and history are deleted with the commit |
/// | `append` | keeps the row as it is given; checks no rule except that its key is new; fastest in the order of keys |
/// | `finishFilling` | the last call before the commit: indexes, uniqueness and, if requested, references hold, or it throws |
///
/// Between the first and the last call only `append`, ``HistoryWriting/keepHistory(_:)`` and reading are allowed. If
/// the store is new and only the caller has it open, a failure may leave written parts behind: such a store is thrown
/// away. ``StoreTransfer`` makes all of these calls.
public protocol StoreFilling: AnyObject {
    func beginFilling() throws
    /// Adds a row that already has its key.
    ///
    /// - Throws: `uniqueness` if a row with the key exists; `required`, `typeMismatch`, `limit` for a row that cannot
    ///   be stored.
    func append(_ row: borrowing Row, to entity: Int) throws
    /// Ends the filling.
    ///
    /// - Throws: `uniqueness` with the keys of the records that have the same values; `danglingReference`.
    func finishFilling(_ end: FillingEnd) throws
}

/// The state from which a filled store continues.
public struct FillingEnd: Sendable, Hashable {
    /// The number of the commit. The next commit has the following number.
    public var transactionNumber: UInt64
    /// The greatest key that each entity with assigned keys has had, by position. Greater keys of rows raise it.
    public var lastAssignedKeys: [Int64]
    /// Whether each reference is checked. References copied from a store are valid already.
    public var checksReferences: Bool

    public init(transactionNumber: UInt64, lastAssignedKeys: [Int64], checksReferences: Bool) {
        self.transactionNumber = transactionNumber
        self.lastAssignedKeys = lastAssignedKeys
        self.checksReferences = checksReferences
    }
}

extension StoreFilling {
    public func beginFilling() throws { throw GranaryError.cannotBeFilled }
    public func append(_ row: borrowing Row, to entity: Int) throws { throw GranaryError.cannotBeFilled }
    public func finishFilling(_ end: FillingEnd) throws { throw GranaryError.cannotBeFilled }
}

extension GranaryError {
    /// The error for a copy to a place where something exists.
    package static func placeTaken(_ path: String) -> GranaryError {
        GranaryError(
            .invalidPath,
            "There is a store at \(path) already, which a copy never replaces. Choose another path, or destroy it first."
        )
    }

    package static var cannotBeFilled: GranaryError {
        GranaryError.unsupported(
            .filling,
            "This store cannot take the contents of another, which \(Capability.filling) needs. Use a store that has the capability, or write the records with a transaction."
        )
    }
}
