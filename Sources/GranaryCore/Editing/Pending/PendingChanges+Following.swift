// A context keeps the attributes that it has changed. It shows the other attributes of a changed record as in the
// newest committed record: each change is adjusted to the level below. An attribute that others have changed and the
// context has not gets their value, also in the base, as if the change had begun from there. An amount that was added
// to a number here is added to their value. An attribute that both have changed keeps the context's value and its old
// base: the save reports that as a conflict. So a merge has the same result with and without the adjustment. Only
// `overwrite` takes the record as the context wrote it, so that record is kept.
//
// An attribute that is set back to its value in the base is no longer changed: it gets the value of the newest record,
// as it would if the whole record were set back.
//
// These are not adjusted: records with a version, which are compared as a whole; records that one side has deleted; new
// records.

extension PendingChanges {
    /// The changes that differ when adjusted to a newer state one level up.
    ///
    /// Cost: a search for each changed record that is not new.
    func following(
        _ reader: any StoreReader, _ schema: Schema, _ rules: [MergeRules]
    ) throws -> [(entity: Int, key: StoredValue, change: Change)] {
        var followed: [(entity: Int, key: StoredValue, change: Change)] = []
        for entity in entities where schema.entities[entity].versionPosition == nil {
            let changed = changes(of: entity).byKey.filter { $0.change.base != nil && $0.change.current != nil }
            for part in Array(changed).chunks(of: 500) {
                for (key, change, newest) in try PendingChanges.newest(part, of: entity, schema, reader) {
                    if let change = change.following(newest, schema.entities[entity], rules[entity]) {
                        followed.append((entity, key, change))
                    }
                }
            }
        }
        return followed
    }

    /// The changes of some records.
    func only(_ places: Set<RecordChange.Place>) -> PendingChanges {
        var part = emptied
        for place in places { part.put(change(place.key, of: place.entity), place.key, of: place.entity) }
        return part
    }

    /// The current records one level up for these changes, by key. Missing records are left out.
    private static func newest(
        _ changes: [PendingTable.Element], of entity: Int, _ schema: Schema, _ reader: any StoreReader
    ) throws -> [(StoredValue, Change, StoredRow)] {
        let place = { (key: StoredValue) in RecordChange.Place(entity: entity, key: key) }
        guard changes.count > 8 else {
            return try changes.compactMap { key, change in
                try reader.row(place(key)).map { (key, change, $0) }
            }
        }
        let position = schema.entities[entity].keyPosition
        let rows = try reader.rows(
            FetchRequest(entity: entity, condition: .among(position: position, changes.map(\.key))))
        var found: [StoredValue: StoredRow] = [:]
        while let row = try rows.next() {
            let row = StoredRow(row)
            found[row.value(at: position)] = row
        }
        return changes.compactMap { key, change in found[key].map { (key, change, $0) } }
    }
}

extension PendingChanges.Change {
    /// Whether an attribute has its base value again and did not have it before.
    func isSetBack(since before: Self?) -> Bool {
        guard let before, let base, let current else { return false }
        // A deleted record was not adjusted.
        guard let old = before.current else { return true }
        return (0..<base.count).contains { areSame(current[$0], base[$0]) && !areSame(old[$0], base[$0]) }
    }

    /// The change adjusted to a newer state of its record; nil if nothing differs.
    func following(_ newest: StoredRow, _ entity: Entity, _ rules: MergeRules) -> Self? {
        guard let base, let current, !newest.isSame(as: base) else { return nil }
        var theirs: [Assignment] = []
        var shown: [Assignment] = []
        let foreign = newest.difference(from: base)
        for position in foreign.positions {
            let value = newest.value(at: position)
            if areSame(current[position], base[position]) {
                theirs.append(Assignment(position: position, value: value))
                shown.append(Assignment(position: position, value: value))
            } else if differences.contains(position),
                let amount = entity.amount(from: base[position], to: current[position], at: position),
                let sum = try? entity.sum(of: newest[position], adding: amount, at: position)
            {
                theirs.append(Assignment(position: position, value: value))
                shown.append(Assignment(position: position, value: sum))
            }
        }
        // If others have put the record into another list, it has its place there.
        for list in rules.lists
        where foreign.contains(list.owner) && areSame(current[list.owner], base[list.owner])
            && !areSame(current[list.place], base[list.place])
        {
            let place = Assignment(position: list.place, value: newest.value(at: list.place))
            theirs.append(place)
            shown.append(place)
        }
        if theirs.isEmpty { return nil }
        var change = self
        change.base = base.setting(theirs)
        change.current = current.setting(shown)
        change.written = written ?? PendingChanges.Written(base: base, current: current)
        return change
    }
}
