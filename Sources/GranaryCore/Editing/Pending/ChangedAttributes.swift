// A change by addition never conflicts, because it does not depend on a value that was read: the amount is added to the
// value that the record has one level up. So a pending change knows which attributes were changed by additions alone
// since its base, and a merge adds the difference between its value and the base's. Once an attribute was set to a
// value, it is an ordinary change until the record is saved, even if additions came before or after.

/// How a statement changed attributes of a record, unless it replaced the whole row.
package struct ChangedAttributes: Sendable {
    /// The attributes that were changed by an addition.
    package var added = AttributeSet()
    /// The attributes that were set, perhaps to the value that they had.
    package var assigned = AttributeSet()

    package init(added: AttributeSet = AttributeSet(), assigned: AttributeSet = AttributeSet()) {
        self.added = added
        self.assigned = assigned
    }

    init(_ assignments: [Assignment]) {
        for assignment in assignments {
            switch assignment.operation {
            case .add: added.insert(assignment.position)
            case .set: assigned.insert(assignment.position)
            }
        }
    }
}

extension PendingChanges.Change {
    private func differs(_ row: StoredRow?, _ position: Int) -> Bool {
        guard let base, let row else { return false }
        return !areSame(base[position], row[position])
    }

    /// Notes which attributes are still changed by additions alone, after a change of the record that was pending as
    /// `before`.
    mutating func noteDifferences(since before: PendingChanges.Change?, _ changed: ChangedAttributes) {
        let earlier = before?.differences ?? AttributeSet()
        if earlier.isEmpty && changed.added.isEmpty { return }
        guard base != nil, let current else { return }
        let old = before.map(\.current) ?? base
        for position in earlier.union(changed.added).positions where differs(current, position) {
            let isAdded = changed.added.contains(position)
            // A replaced row with the same value here does not make the attribute an ordinary change.
            let isKept =
                !changed.assigned.contains(position) && old.map { areSame($0[position], current[position]) } == true
            let wasOrdinary = differs(old, position) && !earlier.contains(position)
            if (isAdded || isKept) && !wasOrdinary { differences.insert(position) }
        }
    }

    /// Notes the attributes of a new record that were set after it was inserted.
    mutating func noteAssigned(since before: PendingChanges.Change?, _ changed: ChangedAttributes) {
        guard isNew, let current else { return }
        assigned = changed.assigned
        guard let before, let old = before.current, !before.assigned.isEmpty else { return }
        // A replaced row sets every attribute whose value differs.
        for position in before.assigned.positions where areSame(old[position], current[position]) {
            assigned.insert(position)
        }
    }
}
