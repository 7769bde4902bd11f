/// The unsaved changes of a context: for each changed record its current state, and its state when the context began.
///
/// A value: copied for a save that runs beside the context, and for open cursors.
package struct PendingChanges: Sendable {
    /// The change of one record. If both states are nil, or the same row, it is no change and not kept.
    package struct Change: Sendable {
        /// The record one level up when the context first changed it; nil if it did not exist.
        package var base: StoredRow?
        /// The record in the context; nil if it is deleted.
        package var current: StoredRow?
        /// The change as the context made it, if it was adjusted to changes of others; see `following`.
        var written: Written?
        /// The `differences` of a changed record, or the `assigned` attributes of a new one. No record has both, and
        /// each change is kept in memory and copied.
        private var noted: AttributeSet

        package init(
            base: StoredRow?, current: StoredRow?, differences: AttributeSet = AttributeSet(),
            assigned: AttributeSet = AttributeSet()
        ) {
            self.base = base
            self.current = current
            noted = base == nil ? assigned : differences
        }

        /// The attributes that were changed by additions alone since the base; empty for a new record.
        package var differences: AttributeSet {
            get { isNew ? AttributeSet() : noted }
            set { if !isNew { noted = newValue } }
        }

        /// The attributes of a new record that were set after it was inserted; empty for any other record. `add` sets
        /// the place in a list in this way.
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
    /// For each entity that assigns keys, the greatest key that was set by hand, also in deleted records.
    package var takenKeys: [Int: Int64] = [:]

    package init(entityCount: Int) { tables = Array(repeating: PendingTable(), count: entityCount) }

    /// The same value without changes.
    package var emptied: PendingChanges {
        var rest = PendingChanges(entityCount: tables.count)
        rest.takenKeys = takenKeys
        return rest
    }

    package init(_ schema: Schema) { self.init(entityCount: schema.entities.count) }

    package var isEmpty: Bool { tables.allSatisfy(\.isEmpty) }
    /// The number of changed records.
    package var count: Int { tables.reduce(0) { $0 + $1.count } }
    /// The entities with changed records.
    package var entities: [Int] { tables.indices.filter { !tables[$0].isEmpty } }

    /// The changes of one entity, by key.
    package func changes(of entity: Int) -> PendingTable { tables[entity] }

    package func change(_ key: StoredValue, of entity: Int) -> Change? { tables[entity][key] }

    /// Sets the new state of a record.
    ///
    /// - Parameters:
    ///   - below: The record one level up; used only if the record is not changed yet.
    ///   - changed: How its attributes got their values.
    /// - Returns: The previous change.
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

    /// Whether the record did not exist when it was first changed.
    package var isNew: Bool { base == nil }

    /// Whether the change inserts, updates or deletes the record.
    package var kind: RecordChange.Kind {
        switch (base, current) {
        case (nil, _): .inserted
        case (_, nil): .deleted
        case (let base?, let current?): .updated(current.difference(from: base))
        }
    }
}
