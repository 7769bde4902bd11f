/// Filling a store with the contents of another: what copies, seeds, resets and migrations that rewrite records are made of.
/// By default a store cannot be filled (``Capability/filling``).
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `beginFilling` | the first call of its transaction: records and history are gone with the commit |
/// | `append` | keeps the row as it is given; no rule is checked but that its key is new; fastest in the order of keys |
/// | `finishFilling` | the last call before the commit: indexes, uniqueness and, if asked for, references hold, or it throws |
///
/// Between the first call and the last one `append`, ``HistoryWriting/keepHistory(_:)`` and reading are allowed, and nothing
/// else. Where the store is new and only the caller has it open, parts of what is written may stay if it fails: such a store is
/// thrown away. ``StoreTransfer`` makes all of these calls.
public protocol StoreFilling: AnyObject {
    func beginFilling() throws
    /// Adds a row that has its key.
    ///
    /// - Throws: `uniqueness` if there is a row with the key; `required`, `typeMismatch`, `limit` for a row that cannot be
    ///   kept.
    func append(_ row: borrowing Row, to entity: Int) throws
    /// Ends the filling.
    ///
    /// - Throws: `uniqueness` with the keys of the records that have the same values; `danglingReference`.
    func finishFilling(_ end: FillingEnd) throws
}

/// What a store that was filled goes on from.
public struct FillingEnd: Sendable, Hashable {
    /// The number that the commit gets; the next one is greater by one.
    public var transactionNumber: UInt64
    /// The greatest key each entity has had, if it assigns keys: by position. Where rows have greater ones, these count.
    public var lastAssignedKeys: [Int64]
    /// Whether each reference is looked at. References that come from a store hold already.
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
    /// The error for a copy that would go where something is.
    package static func placeTaken(_ path: String) -> GranaryError {
        GranaryError(
            .invalidPath,
            "There is a store at \(path) already, which a copy never replaces. Choose another path, or destroy it first."
        )
    }

    package static var cannotBeFilled: GranaryError {
        GranaryError(
            .unsupported,
            "This store cannot take the contents of another, which \(Capability.filling) needs. Use a store that has the capability, or write the records with a transaction."
        )
    }
}
