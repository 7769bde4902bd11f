/// Changes that were dropped, not set back, while a save wrote them.
package struct DroppedChanges: Sendable {
    package var isAll = false
    package var places: Set<RecordChange.Place> = []

    package init() {}

    func contains(_ key: StoredValue, of entity: Int) -> Bool {
        isAll || places.contains(RecordChange.Place(entity: entity, key: key))
    }
}

extension PendingChanges {
    /// What is left to save of these changes, which were `saved` at an earlier moment.
    ///
    /// A record that was changed again keeps that change, over what was saved; one that was set back while the save ran
    /// has to be set back there too, unless its change was only dropped.
    package func rebased(on saved: PendingChanges, besides dropped: DroppedChanges = DroppedChanges()) -> PendingChanges
    {
        var rest = self
        for entity in saved.entities {
            for (key, done) in saved.changes(of: entity) {
                let now = change(key, of: entity)
                if now == nil, dropped.contains(key, of: entity) { continue }
                rest.put(
                    Change(base: done.current, current: now.map(\.current) ?? done.base), key, of: entity)
            }
        }
        return rest
    }
}
