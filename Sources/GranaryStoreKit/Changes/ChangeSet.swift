/// What one commit changed: the one source from which contexts, observers and the history learn of it, whatever wrote it.
public struct ChangeSet: Sendable {
    /// The number of the commit: the numbers of a store's change sets have no gaps.
    public let transactionNumber: UInt64
    /// Who wrote it.
    public let origin: ChangeOrigin
    /// What it did: one change a record, by entity and key. nil if that is not known (another process wrote it and the
    /// store keeps no history): then anything may have changed.
    public let changes: [RecordChange]?
    /// The entities it changed; nil if that is not known.
    public let entities: Set<Int>?
    /// The schema that gives the positions their names; nil until a stack hands the change set out.
    public package(set) var schema: Schema?

    /// When it was committed, in seconds since 2001-01-01 00:00:00 UTC, where that is known.
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

/// Who made a change.
public struct ChangeOrigin: Sendable, Hashable {
    /// One context, or one write: two of them are never equal by chance. 0 where that is not known: what is foreign or read
    /// from the history.
    public let id: UInt64
    /// What it was called: a context's name, the name given to a write.
    public let name: String?
    /// Whether it is known by no more than its name, if by that: written by another process, or by another stack that does
    /// not share this one's store object, or read from the history, which keeps names alone - one's own commits, too.
    /// Who asks the history for the commits of others names his own, and leaves those names out.
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
