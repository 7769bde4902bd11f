// A change by addition never conflicts, because nothing that was read goes into it: what is added here is added to whatever
// the record holds one level up. So a pending change knows which attributes were changed by additions alone since its base,
// and a merge adds the difference between its value and the base's. An attribute that was given a value, once, is an
// ordinary change until the record is saved, also if something was added to it before or after.

/// How a statement changed attributes of a record, other than by giving it a whole new row.
package struct ChangedAttributes: Sendable {
    /// Something was added to these.
    package var added = AttributeSet()
    /// These were given a value, which may be the one they had.
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
            // A row that was written whole, but has what it had here, says nothing of this attribute.
            let isKept =
                !changed.assigned.contains(position) && old.map { areSame($0[position], current[position]) } == true
            let wasOrdinary = differs(old, position) && !earlier.contains(position)
            if (isAdded || isKept) && !wasOrdinary { differences.insert(position) }
        }
    }

    /// Notes which attributes of a new record got their values after it was inserted.
    mutating func noteAssigned(since before: PendingChanges.Change?, _ changed: ChangedAttributes) {
        guard isNew, let current else { return }
        assigned = changed.assigned
        guard let before, let old = before.current, !before.assigned.isEmpty else { return }
        // A row that was written whole gives other values to what differs.
        for position in before.assigned.positions where areSame(old[position], current[position]) {
            assigned.insert(position)
        }
    }
}
