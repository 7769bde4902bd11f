/// The changes that one undo takes back: for each record its states before and after.
struct UndoGroup {
    struct Change {
        var place: RecordChange.Place
        /// Nil if the record did not exist.
        var before: StoredRow?
        /// Nil if the record was deleted.
        var after: StoredRow?
        /// The attributes that were changed by additions alone. They are taken back by subtraction.
        var differences = AttributeSet()
        /// The attributes of a new record that had been set after it was inserted, before this group.
        var assigned = AttributeSet()
    }

    var name: String?
    /// One change for each record, in the order of the first changes.
    private(set) var changes: [Change] = []

    /// The net effect of steps; nil if there is none.
    init?(_ steps: [Overlay.Step], named name: String?) {
        self.name = name
        var numbers: [RecordChange.Place: Int] = [:]
        for step in steps {
            let place = RecordChange.Place(entity: step.entity, key: step.key)
            let number = numbers[place] ?? changes.count
            if number == changes.count {
                numbers[place] = number
                let assigned = step.change?.assigned ?? AttributeSet()
                changes.append(Change(place: place, before: step.before, after: step.before, assigned: assigned))
            }
            var change = PendingChanges.Change(base: changes[number].before, current: step.after)
            change.noteDifferences(
                since: PendingChanges.Change(
                    base: changes[number].before, current: changes[number].after,
                    differences: changes[number].differences), ChangedAttributes(added: step.added))
            (changes[number].after, changes[number].differences) = (step.after, change.differences)
        }
        changes.removeAll { PendingChanges.Change(base: $0.before, current: $0.after).isNone }
        if changes.isEmpty { return nil }
    }
}

extension UndoGroup.Change {
    /// The state of the record after this change is taken back, given its `current` state. In a changed record only
    /// those attributes are set back that the change has set and that still have its values: later changes of others
    /// stay. An amount that was added is subtracted.
    ///
    /// - Returns: The state, and the attributes from which an amount was subtracted.
    /// - Throws: `overflow`; `uniqueness` if the key of a deleted record is taken, `recordNotFound` if a changed record
    ///   does not exist.
    func takenBack(from current: StoredRow?, _ entity: Entity) throws -> (row: StoredRow?, added: AttributeSet) {
        guard let before else { return (nil, AttributeSet()) }
        guard let after else {
            guard let current, !current.isSame(as: before) else { return (before, AttributeSet()) }
            throw GranaryError(
                .uniqueness,
                "Another record of \(entity.path) has the key of the one that undo would bring back. Delete that one first.",
                about: entity, [entity.key])
        }
        guard let current else {
            throw GranaryError(
                .recordNotFound, "A record of \(entity.path) that undo would change is gone. It cannot be undone.",
                about: entity, [entity.key])
        }
        let others = after.difference(from: current)
        var added = AttributeSet()
        let values = after.difference(from: before).positions.compactMap { position -> Assignment? in
            if differences.contains(position),
                let amount = entity.amount(from: after[position], to: before[position], at: position)
            {
                added.insert(position)
                // If no other change was made, the old value is restored exactly.
                guard others.contains(position) else {
                    return Assignment(position: position, value: before.value(at: position))
                }
                return Assignment(position: position, value: amount, operation: .add)
            }
            return others.contains(position)
                ? nil : Assignment(position: position, value: before.value(at: position))
        }
        return (try entity.applying(values, to: current), added)
    }
}
