// A context keeps the attributes that it has changed. The other attributes of a changed record are those of the newest
// committed record: so each change follows what is one level up. An attribute that others have changed and the context has
// not gets their value, in the base too, as if the change had begun from there. What was added to a number here is added to
// their value. An attribute that both have changed stays as the context has it, with its old base: that is what the save
// finds to be a conflict. So a merge comes to the same, followed or not; only `overwrite`, which takes the record as the
// context wrote it, needs that record, and it is kept.
//
// An attribute that is set back to its value in the base is not changed any more: it is that of the newest record, as it
// would be if the whole record were set back.
//
// Not followed are records with a version, which are compared as a whole, records that one side has deleted, and new ones.

extension PendingChanges {
    /// The changes that are others over a newer state one level up.
    ///
    /// Cost: a search for each record that is changed and not new.
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

    /// Changes, by key, with their records one level up; without those that are not there.
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
    /// Whether an attribute is again as in the base, and was not so before.
    func isSetBack(since before: Self?) -> Bool {
        guard let before, let base, let current else { return false }
        // A record that was deleted was not followed.
        guard let old = before.current else { return true }
        return (0..<base.count).contains { areSame(current[$0], base[$0]) && !areSame(old[$0], base[$0]) }
    }

    /// The change over a newer state of its record; nil if it is the same.
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
        // A record that others have put into another list has its place there.
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
