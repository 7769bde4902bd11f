/// Changes that were dropped, not set back, while a save was writing them.
package struct DroppedChanges: Sendable {
    package var isAll = false
    package var places: Set<RecordChange.Place> = []

    package init() {}

    func contains(_ key: StoredValue, of entity: Int) -> Bool {
        isAll || places.contains(RecordChange.Place(entity: entity, key: key))
    }
}

extension PendingChanges {
    /// The changes that remain to be saved after `saved`, an earlier state of these changes, was written.
    ///
    /// A record that was changed again keeps that change, based on the saved record. A record that was set back during
    /// the save must be set back in the store too. A record whose change was only dropped stays as it was saved, apart
    /// from changes made since.
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
    /// Takes over the versions that a save has given to records, because changes made during the save are based on
    /// them.
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
    /// Another state of the record with the attributes that this change has changed.
    fileprivate func laid(over other: StoredRow?) -> StoredRow? {
        guard let base, let current, let other else { return current }
        let changed = current.difference(from: base).positions
        return other.setting(changed.map { Assignment(position: $0, value: current.value(at: $0)) })
    }
}
