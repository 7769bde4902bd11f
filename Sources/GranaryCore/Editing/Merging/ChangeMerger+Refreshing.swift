// A refresh merges like a save, and leaves pending what the save would write.

extension ChangeMerger.Plan {
    /// Adds the merged state of a change that stays pending.
    mutating func add(
        _ entity: Int, _ change: PendingChanges.Change, _ newest: StoredRow?, _ wanted: StoredRow?,
        _ added: AttributeSet, _ key: StoredValue
    ) {
        guard let wanted else {
            deleted[entity, default: []].append(key)
            return
        }
        let write = ChangeMerger.Write(entity: entity, row: wanted, change: change, store: newest, added: added)
        if newest == nil { inserted.append(write) } else { updated.append(write) }
    }
}

extension PendingChanges {
    /// Replaces pending changes by the records of a plan.
    mutating func put(_ plan: ChangeMerger.Plan, _ schema: Schema) {
        for write in plan.updated + plan.inserted {
            let key = write.row.value(at: schema.entities[write.entity].keyPosition)
            put(
                Change(
                    base: write.store, current: write.row, differences: write.added, assigned: write.change.assigned),
                key, of: write.entity)
        }
    }
}
