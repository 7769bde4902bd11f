/// What one undo takes back: for each record, what it was before and what it was made.
struct UndoGroup {
    struct Change {
        var place: RecordChange.Place
        /// Nil if the record was not there.
        var before: StoredRow?
        /// Nil if the record was deleted.
        var after: StoredRow?
    }

    var name: String?
    /// One a record, in the order in which they were first changed.
    private(set) var changes: [Change] = []

    /// What steps come to; nil if that is nothing.
    init?(_ steps: [Overlay.Step], named name: String?) {
        self.name = name
        var numbers: [RecordChange.Place: Int] = [:]
        for step in steps {
            let place = RecordChange.Place(entity: step.entity, key: step.key)
            if let number = numbers[place] {
                changes[number].after = step.after
            } else {
                numbers[place] = changes.count
                changes.append(Change(place: place, before: step.before, after: step.after))
            }
        }
        changes.removeAll { PendingChanges.Change(base: $0.before, current: $0.after).isNone }
        if changes.isEmpty { return nil }
    }
}

extension UndoGroup.Change {
    /// What the record is once this is taken back, where it is shown as `current` now. Of a record that was changed only
    /// the attributes go back that were changed, and still are as they were made: what others made of it meanwhile stays.
    ///
    /// - Throws: `uniqueness` if a deleted record's key is taken, `recordNotFound` if a changed record is gone.
    func takenBack(from current: StoredRow?, _ entity: Entity) throws -> StoredRow? {
        guard let before else { return nil }
        guard let after else {
            guard let current, !current.isSame(as: before) else { return before }
            throw GranaryError(
                .uniqueness,
                "Another record of \(entity.name) has the key of the one that undo would bring back. Delete that one first.",
                entity: entity.name, attributes: [entity.key])
        }
        guard let current else {
            throw GranaryError(
                .recordNotFound, "A record of \(entity.name) that undo would change is gone. It cannot be undone.",
                entity: entity.name, attributes: [entity.key])
        }
        let others = after.difference(from: current)
        let positions = after.difference(from: before).positions.filter { !others.contains($0) }
        return current.setting(positions.map { Assignment(position: $0, value: before.value(at: $0)) })
    }
}
