/// What a new store, or one whose contents are replaced, is filled with before any stack sees it: what a copy, a seed or a reset
/// hands to a store.
///
/// A store that ``FolderStores`` opens passes it on to it. A store of its own does this, for a new store without `old`:
///
/// 1. It makes an empty store for the schema, or begins the transaction that replaces what is there.
/// 2. It calls ``fill(_:replacing:)``. What it throws ends the attempt, and what was made is removed.
/// 3. What was filled becomes the store's contents, in one step.
/// 4. It calls ``didGoLive()``, before a transaction begins on them.
public struct StoreContents: Sendable {
    /// Writes to the new store.
    ///
    /// - Parameters:
    ///   - new: The store, which is empty, of this process alone, and not durable before the closure returns. Its commits are
    ///     seen by nobody. A store in memory is filled in place: there the closure makes one commit, which all see at once.
    ///   - old: The newest state of the store whose place the new one takes, which does not change meanwhile; nil if there
    ///     was no such store.
    public typealias Fill = @Sendable (_ new: any Store, _ old: (any StoreReader)?) throws -> Void

    /// The schema of the new store; nil for that of the store whose place it takes, or of who opens it.
    public let schema: Schema?
    private let filling: Fill
    /// The seed that this is; nil for other contents, and seeds that are not known again.
    package var seed: SeedIdentity?
    /// Called once the contents are those of the store, before anybody writes to it.
    package var wentLive: @Sendable () -> Void = {}

    public init(schema: Schema? = nil, fill: @escaping Fill) {
        self.schema = schema
        filling = fill
    }

    /// Writes the contents to a store.
    ///
    /// - Parameters:
    ///   - new: An empty store that no stack has: a writer of it must take ``StoreFilling``. Where a store is filled in place
    ///     its first writer is the transaction that replaces what is there.
    ///   - old: The newest state of the store whose place the new one takes; nil if there is no such store. No commit may be
    ///     made between this state and `didGoLive`.
    /// - Throws: What the source of the contents throws, and what the store's writer throws.
    public func fill(_ new: any Store, replacing old: (any StoreReader)? = nil) throws { try filling(new, old) }

    /// Says that the contents are those of the store, which has no transaction on them yet. Not called for a new store.
    public func didGoLive() { wentLive() }

    /// These contents for a new store with a schema.
    public func forStore(of schema: Schema) -> StoreContents {
        var contents = StoreContents(schema: self.schema ?? schema, fill: filling)
        (contents.wentLive, contents.seed) = (wentLive, seed)
        return contents
    }
}

extension StoreContents {
    /// No records and no history. In the place of a store, its assigned keys and the numbers of commits go on: the next key and
    /// the next commit have numbers that none has had.
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
