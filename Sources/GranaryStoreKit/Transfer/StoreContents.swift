/// What a new store, or a new generation of a store's files, is filled with before anybody sees it.
public struct StoreContents: Sendable {
    /// Writes to the new store.
    ///
    /// - Parameters:
    ///   - new: The store, which is empty, of this process alone, and not durable before the closure returns. Its commits are
    ///     seen by nobody. A store in memory is filled in place: there the closure makes one commit, which all see at once.
    ///   - old: The newest state of the store whose place the new one takes, to which nobody writes meanwhile; nil if there
    ///     was no such store.
    public typealias Fill = @Sendable (_ new: any Store, _ old: (any StoreReader)?) throws -> Void

    /// The schema of the new store; nil for that of the store whose place it takes, or of who opens it.
    public let schema: Schema?
    package let fill: Fill
    /// The seed that this is; nil for other contents, and seeds that are not known again.
    package var seed: SeedIdentity?
    /// Called once the contents are those of the store, before anybody writes to it.
    package var wentLive: @Sendable () -> Void = {}

    public init(schema: Schema? = nil, fill: @escaping Fill) {
        self.schema = schema
        self.fill = fill
    }

    /// These contents for a new store with a schema.
    public func forStore(of schema: Schema) -> StoreContents {
        var contents = StoreContents(schema: self.schema ?? schema, fill: fill)
        (contents.wentLive, contents.seed) = (wentLive, seed)
        return contents
    }
}

extension StoreContents {
    /// No records. In the place of a store, its assigned keys and numbers of commits go on.
    public static var empty: StoreContents {
        StoreContents { new, old in
            guard let old else { return }
            let writer = try new.beginWrite()
            defer { writer.end() }
            try writer.beginFilling()
            try writer.finishFilling(
                FillingEnd(
                    transactionNumber: old.transactionNumber + 1, lastAssignedKeys: try old.lastAssignedKeys(),
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
