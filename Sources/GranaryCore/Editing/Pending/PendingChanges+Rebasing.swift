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
    /// has to be set back there too. One whose change was only dropped stays as it was saved, but for what has been changed
    /// since.
    package func rebased(on saved: PendingChanges, besides dropped: DroppedChanges = DroppedChanges()) -> PendingChanges
    {
        var rest = self
        for entity in saved.entities {
            for (key, done) in saved.changes(of: entity) {
                let now = change(key, of: entity)
                var current = now.map(\.current) ?? done.base
                if dropped.contains(key, of: entity) {
                    guard let now else { continue }
                    current = now.laid(over: done.current)
                }
                rest.put(
                    Change(base: done.current, current: current, differences: now?.differences ?? AttributeSet()), key,
                    of: entity)
            }
        }
        return rest
    }
}

extension PendingChanges {
    /// Takes over the versions that a save has given to records: what was changed during the save is changed from those.
    mutating func take(_ versions: [RecordChange.Place: StoredValue], _ schema: Schema) {
        for (place, version) in versions {
            guard var change = change(place.key, of: place.entity),
                let position = schema.entities[place.entity].versionPosition
            else { continue }
            let given = [Assignment(position: position, value: version)]
            change.base = change.base?.setting(given)
            change.current = change.current?.setting(given)
            put(change, place.key, of: place.entity)
        }
    }
}

extension PendingChanges.Change {
    /// Another state of the record with what this has changed.
    fileprivate func laid(over other: StoredRow?) -> StoredRow? {
        guard let base, let current, let other else { return current }
        let changed = current.difference(from: base).positions
        return other.setting(changed.map { Assignment(position: $0, value: current.value(at: $0)) })
    }
}
