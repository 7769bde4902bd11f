// All records of a group are set back before any is checked: two records that exchanged a unique value, or that refer
// to each other, are set back together.

extension Overlay {
    /// Sets the records of a group back to their earlier states, all or none.
    ///
    /// - Throws: `uniqueness`, `danglingReference`, `recordNotFound` if later changes of others prevent it.
    func takeBack(_ group: UndoGroup) throws {
        try statement { _ in
            var written: [(place: RecordChange.Place, old: StoredRow?, new: StoredRow?)] = []
            // All records are read before any is set back, because some are hidden without others.
            let olds = try group.changes.map { change -> StoredRow? in
                let (entity, key) = (change.place.entity, change.place.key)
                if let shown = try visible(key, of: entity) { return shown }
                // A link that is hidden because others have made it as well still exists. Any other hidden record is
                // deleted together with a record that this context has deleted.
                return mergeRules[entity].linked == nil ? nil : pending.change(key, of: entity)?.current
            }
            let referrers = try referrers(toInsertedBy: group)
            for (change, old) in zip(group.changes, olds).reversed() {
                let (entity, key) = (change.place.entity, change.place.key)
                let (new, added) = try change.takenBack(from: old, schema.entities[entity])
                if PendingChanges.Change(base: old, current: new).isNone { continue }
                let changed = ChangedAttributes(added: added, assigned: change.assigned)
                set(new, key, of: entity, before: old, changed: changed)
                written.append((change.place, old, new))
            }
            for (place, old, new) in written {
                guard let new else { continue }
                let rules = rules[place.entity]
                try rules.checkUnique(new, place.key, replacing: old, among: self)
                let changed = rules.changedReferences(of: new, replacing: old)
                try rules.checkReferences(of: new, place.key, at: changed, among: self)
            }
            let now = Dictionary(written.map { ($0.place, $0.new) }) { $1 }
            for referrer in referrers {
                guard let row = now[referrer.place] ?? referrer.row, let target = referrer.target(in: row),
                    let gone = now[target], gone == nil
                else { continue }
                throw danglingReference(of: referrer)
            }
        }
    }

    /// A reference of a record.
    private struct Referrer {
        var place: RecordChange.Place
        var row: StoredRow
        var reference: ReferenceMap.Incoming
        /// The entity of the referring record.
        var entity: Int

        /// The record that `row` refers to, or nil if its reference is nil.
        func target(in row: StoredRow) -> RecordChange.Place? {
            let key = row.value(at: reference.position)
            return key == .null ? nil : RecordChange.Place(entity: entity, key: key)
        }
    }

    // Referring records are found before anything is set back. After a record is removed, the records that a cascade
    // deletes with it are no longer shown, and an undo must not delete records that others have made.

    /// The references to the records that a group has inserted.
    private func referrers(toInsertedBy group: UndoGroup) throws -> [Referrer] {
        let inserted = group.changes.filter { $0.before == nil }.map(\.place)
        var found: [Referrer] = []
        for (entity, places) in Dictionary(grouping: inserted, by: \.entity).sorted(by: { $0.key < $1.key }) {
            for incoming in rules[entity].incoming {
                for place in try referrers(to: places.map(\.key), incoming) {
                    guard let row = try visible(place.key, of: place.entity) else { continue }
                    found.append(Referrer(place: place, row: row, reference: incoming, entity: entity))
                }
            }
        }
        return found
    }

    private func danglingReference(of referrer: Referrer) -> GranaryError {
        let source = schema.entities[referrer.place.entity]
        let name = source.named([source.attributes[referrer.reference.position].name])
        return GranaryError(
            .danglingReference,
            "A record of \(schema.entities[referrer.entity].name) cannot be taken away again: \(name.entity).\(name.attributes[0]) refers to it. Change that first.",
            entity: name.entity, attributes: name.attributes)
    }
}
