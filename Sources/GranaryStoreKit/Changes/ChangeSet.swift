/// The changes of one commit. Contexts, observers and the history all get a commit's changes from here, whichever
/// process wrote it.
public struct ChangeSet: Sendable {
    /// The number of the commit: the numbers of a store's change sets have no gaps.
    public let transactionNumber: UInt64
    /// The writer of the commit.
    public let origin: ChangeOrigin
    /// The changes, one for each record, by entity and key. Nil if they are unknown (another process wrote the commit
    /// and the store keeps no history): then anything may have changed.
    public let changes: [RecordChange]?
    /// The changed entities; nil if they are unknown.
    public let entities: Set<Int>?
    /// The schema that names the positions; nil until a stack passes the change set on.
    public package(set) var schema: Schema?

    /// The time of the commit, in seconds since 2001-01-01 00:00:00 UTC; nil if it is unknown.
    public let time: Double?

    public init(
        transactionNumber: UInt64, origin: ChangeOrigin, changes: [RecordChange]?, time: Double? = nil
    ) {
        self.transactionNumber = transactionNumber
        self.time = time
        self.origin = origin
        self.changes = changes
        entities = changes.map { changes in
            var entities: Set<Int> = []
            var last = -1
            for change in changes where change.entity != last {
                last = change.entity
                entities.insert(last)
            }
            return entities
        }
    }
}

/// The writer of a change.
public struct ChangeOrigin: Sendable, Hashable {
    /// Identifies one context, or one write: no two of them have the same id. 0 if it is unknown: for foreign writers,
    /// and in entries of the history.
    public let id: UInt64
    /// The name of the context, or the name given to a write.
    public let name: String?
    /// Whether nothing but the name may be known: the writer is another process, or another stack that does not share
    /// this one's store object, or the entry comes from the history, which keeps only names, even for this stack's own
    /// commits. To ask the history for the commits of others, give your own writers names and leave those names out.
    public let isForeign: Bool

    public init(name: String? = nil) {
        id = UInt64.random(in: 1...UInt64.max)
        self.name = name
        isForeign = false
    }

    package init(foreign name: String?) {
        id = 0
        self.name = name
        isForeign = true
    }
}
