/// The contents with which a new store, or one whose contents are replaced, is filled before any stack sees it: a copy,
/// a seed or a reset passes them to a store.
///
/// A store that ``FolderStores`` opens passes them on to it. Any other store does the following, for a new store
/// without `old`:
///
/// 1. It makes an empty store for the schema, or begins the transaction that replaces the existing contents.
/// 2. It calls ``fill(_:replacing:)``. An error ends the attempt, and everything made is removed.
/// 3. The filled data becomes the store's contents, in one step.
/// 4. It calls ``didGoLive()``, before a transaction begins on them.
public struct StoreContents: Sendable {
    /// Writes to the new store.
    ///
    /// - Parameters:
    ///   - new: The store. It is empty, belongs to this process alone, and is not durable before the closure returns.
    ///     Its commits are invisible to others. A store in memory is filled in place: there the closure makes one
    ///     commit, which is visible at once.
    ///   - old: The newest state of the store that the new one replaces, which does not change during the call; nil if
    ///     there was no such store.
    public typealias Fill = @Sendable (_ new: any Store, _ old: (any StoreReader)?) throws -> Void

    /// The schema of the new store; nil for the schema of the replaced store, or of the caller that opens it.
    public let schema: Schema?
    private let filling: Fill
    /// The identity of the seed; nil for other contents, and for seeds without an identity.
    package var seed: SeedIdentity?
    /// Called once the contents are live, before the first write.
    package var wentLive: @Sendable () -> Void = {}

    public init(schema: Schema? = nil, fill: @escaping Fill) {
        self.schema = schema
        filling = fill
    }

    /// Writes the contents to a store.
    ///
    /// - Parameters:
    ///   - new: An empty store that no stack has: its writer must support ``StoreFilling``. If a store is filled in
    ///     place, its first writer is the transaction that replaces the existing contents.
    ///   - old: The newest state of the store that the new one replaces; nil if there is no such store. No commit may
    ///     be made between this state and `didGoLive`.
    /// - Throws: The errors of the contents' source, and of the store's writer.
    public func fill(_ new: any Store, replacing old: (any StoreReader)? = nil) throws { try filling(new, old) }

    /// Declares that the contents are live, and that no transaction has begun on them yet. Not called for a new store.
    public func didGoLive() { wentLive() }

    /// These contents for a new store with a schema.
    public func forStore(of schema: Schema) -> StoreContents {
        var contents = StoreContents(schema: self.schema ?? schema, fill: filling)
        (contents.wentLive, contents.seed) = (wentLive, seed)
        return contents
    }
}

extension StoreContents {
    /// No records and no history. If they replace a store, its assigned keys and the numbers of commits continue: the
    /// next key and the next commit get new numbers.
    public static var empty: StoreContents {
        StoreContents { new, old in
            guard let old else { return }
            let writer = try new.beginWrite()
            defer { writer.end() }
            try writer.beginFilling()
            try writer.finishFilling(
                FillingEnd(
                    transactionNumber: StoredCount.next(after: old.transactionNumber),
                    lastAssignedKeys: try old.lastAssignedKeys(),
                    checksReferences: false))
            _ = try writer.commit()
        }
    }
}

extension StoreReader {
    /// The greatest key that each entity with assigned keys has had, by position.
    package func lastAssignedKeys() throws -> [Int64] {
        try schema.entities.indices.map { position in
            schema.entities[position].keyGeneration == .assigned ? try lastAssignedKey(of: position) : 0
        }
    }
}
