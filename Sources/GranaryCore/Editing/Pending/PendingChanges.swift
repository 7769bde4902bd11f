/// What a context holds that has not been saved: for each record changed, what it is now and what it was where the
/// context began from.
///
/// A value: copied where a save goes on without the context, and as what an open cursor reads.
package struct PendingChanges: Sendable {
    /// One record. Both nil, or both the same row, is no change and not kept.
    package struct Change: Sendable {
        /// As it was one level up when the context first changed it; nil if it was not there.
        package var base: StoredRow?
        /// As it is in the context; nil if it is deleted.
        package var current: StoredRow?
        /// The change as the context made it, if it is shown with what others have changed since; see `following`.
        var written: Written?
        /// The `differences` of a changed record, or what is `assigned` in a new one: no record has both, and each change is kept
        /// in memory and copied.
        private var noted: AttributeSet

        package init(
            base: StoredRow?, current: StoredRow?, differences: AttributeSet = AttributeSet(),
            assigned: AttributeSet = AttributeSet()
        ) {
            self.base = base
            self.current = current
            noted = base == nil ? assigned : differences
        }

        /// The attributes that were changed by additions alone since the base; none of a new record.
        package var differences: AttributeSet {
            get { isNew ? AttributeSet() : noted }
            set { if !isNew { noted = newValue } }
        }

        /// The attributes of a new record that were set after it was inserted; none of another one. `add` sets the place in a
        /// list in this way.
        package var assigned: AttributeSet {
            get { isNew ? noted : AttributeSet() }
            set { if isNew { noted = newValue } }
        }
    }

    /// A change as it was made, from its base.
    package final class Written: Sendable {
        let base: StoredRow
        let current: StoredRow

        init(base: StoredRow, current: StoredRow) {
            self.base = base
            self.current = current
        }
    }

    private var tables: [PendingTable]
    /// The greatest key given by hand in a record, deleted ones too, of each entity that assigns keys.
    package var takenKeys: [Int: Int64] = [:]

    package init(entityCount: Int) { tables = Array(repeating: PendingTable(), count: entityCount) }

    /// The same without changes.
    package var emptied: PendingChanges {
        var rest = PendingChanges(entityCount: tables.count)
        rest.takenKeys = takenKeys
        return rest
    }

    package init(_ schema: Schema) { self.init(entityCount: schema.entities.count) }

    package var isEmpty: Bool { tables.allSatisfy(\.isEmpty) }
    /// How many records are changed.
    package var count: Int { tables.reduce(0) { $0 + $1.count } }
    /// The entities of which records are changed.
    package var entities: [Int] { tables.indices.filter { !tables[$0].isEmpty } }

    /// The changes of one entity, by key.
    package func changes(of entity: Int) -> PendingTable { tables[entity] }

    package func change(_ key: StoredValue, of entity: Int) -> Change? { tables[entity][key] }

    /// Makes a record what it is to be.
    ///
    /// - Parameters:
    ///   - below: What it is one level up; looked at only where the record is not changed yet.
    ///   - changed: How its attributes were given their values.
    /// - Returns: The change there was before.
    @discardableResult package mutating func set(
        _ current: StoredRow?, _ key: StoredValue, of entity: Int, below: StoredRow?,
        changed: ChangedAttributes = ChangedAttributes()
    ) -> Change? {
        let before = tables[entity][key]
        var change = Change(base: before.map(\.base) ?? below, current: current)
        change.noteDifferences(since: before, changed)
        change.noteAssigned(since: before, changed)
        put(change, key, of: entity)
        return before
    }

    /// Replaces the change of a record. Nil, or an empty change, removes it.
    package mutating func put(_ change: Change?, _ key: StoredValue, of entity: Int) {
        tables[entity].put(change.flatMap { $0.isNone ? nil : $0 }, key)
    }
}

extension PendingChanges.Change {
    package var isNone: Bool {
        switch (base, current) {
        case (nil, nil): true
        case (let base?, let current?): base === current || base.isSame(as: current)
        default: false
        }
    }

    /// Whether the record was not there when it was first changed.
    package var isNew: Bool { base == nil }

    /// What it does to the record.
    package var kind: RecordChange.Kind {
        switch (base, current) {
        case (nil, _): .inserted
        case (_, nil): .deleted
        case (let base?, let current?): .updated(current.difference(from: base))
        }
    }
}
