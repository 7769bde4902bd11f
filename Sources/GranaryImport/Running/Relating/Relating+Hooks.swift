import GranaryCore

// The hooks of relationships are called when the records of the batch are written and related; those of relationships that wait
// for what comes later, at the end of the import.

extension Relating {
    /// Calls the hooks of the batch.
    mutating func callHooks(_ batch: Batch) throws {
        guard !batch.hooks.isEmpty else { return }
        for hook in batch.hooks {
            guard let plan = plans[hook.entity] else { continue }
            let row = plan.rows[plan.merged(hook.row)]
            guard row.isWritten, let key = row.key else { continue }
            let relationship = ImportedRelationship(
                entity: plan.entity.name, key: key, name: hook.name, value: hook.value, place: hook.place)
            if waits(relationship, plan) {
                outcome.waiting.add(
                    ImportedRelationship(
                        entity: relationship.entity, key: key, name: relationship.name, value: relationship.value,
                        place: relationship.place.withOwnObjects))
            } else {
                try session.callHooks(of: relationship, plan)
            }
        }
    }

    private func waits(_ relationship: ImportedRelationship, _ plan: EntityPlan) -> Bool {
        if let position = plan.entity.attributes.firstIndex(where: { $0.name.hasSameBytes(as: relationship.name) }) {
            let place = ReferencePlace(entity: plan.position, key: relationship.key, position: position)
            return outcome.waiting.references[place] != nil
        }
        let index = plan.entity.relationships.firstIndex { $0.name.hasSameBytes(as: relationship.name) }
        return index.map { index in
            outcome.waiting.lists[ListPlace(entity: plan.position, relationship: index, key: relationship.key)] != nil
        } ?? false
    }
}

extension ImportSession {
    /// Calls the hooks of one relationship.
    func callHooks(of relationship: ImportedRelationship, _ plan: EntityPlan) throws {
        guard let hooks = plan.mapping.relationshipHooks[relationship.name] else { return }
        do {
            try hooks.takeOver?(relationship, context)
            try hooks.didRelate?(relationship, context)
        } catch {
            throw GranaryError.wrapping(error, plan.entity).at(relationship.place)
        }
    }
}
