// All records of a group are set back first and checked then: two that exchanged a unique value, or that refer to each
// other, go back together.

extension Overlay {
    /// Sets the records of a group back to what they were, all or none.
    ///
    /// - Throws: `uniqueness`, `danglingReference`, `recordNotFound`: what others have changed meanwhile is in the way.
    func takeBack(_ group: UndoGroup) throws {
        try statement { _ in
            var written: [(place: RecordChange.Place, old: StoredRow?, new: StoredRow?)] = []
            // Looked at before any is set back: some are not shown without others.
            let olds = try group.changes.map { change in
                let (entity, key) = (change.place.entity, change.place.key)
                // A link that is not shown, as others have made it too, is there all the same.
                return try visible(key, of: entity) ?? pending.change(key, of: entity)?.current
            }
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
            try checkNothingRefers(to: written.filter { $0.new == nil }.map(\.place))
        }
    }

    /// - Throws: `danglingReference` if a record refers to one of these, which are gone.
    private func checkNothingRefers(to gone: [RecordChange.Place]) throws {
        for (entity, places) in Dictionary(grouping: gone, by: \.entity).sorted(by: { $0.key < $1.key }) {
            for incoming in rules[entity].incoming {
                guard try !referrers(to: places.map(\.key), incoming).isEmpty else { continue }
                let (source, target) = (schema.entities[incoming.entity], schema.entities[entity])
                let name = source.named([source.attributes[incoming.position].name])
                throw GranaryError(
                    .danglingReference,
                    "A record of \(target.name) cannot be taken away again: \(name.entity).\(name.attributes[0]) refers to it. Change that first.",
                    entity: name.entity, attributes: name.attributes)
            }
        }
    }
}
