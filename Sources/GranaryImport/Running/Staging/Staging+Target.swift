import GranaryCore

// An import into one record: its key is given by the importer, and not by the object.

extension Staging {
    /// Whether an object is the one of the source whose record is given.
    func isTarget(_ plan: EntityPlan, _ place: ImportPlace) -> Bool {
        plans.target != nil && plan.position == plans.top && place.parent == nil
    }

    /// Gives the object of the source the key of the record that it is about.
    func giveTarget(_ object: SourceObject) throws {
        guard let target = plans.target else { return }
        let (plan, row) = (object.plan, object.row)
        let position = plan.entity.keyPosition
        if plan.stage.isGiven(row, position), !target.withCell({ areSame($0, plan.stage[row, position]) }) {
            throw GranaryError(
                .invalidRecord,
                "The object has another \(plan.entity.name).\(plan.entity.key) than the record that it is imported into, and the key of a record never changes. Ignore the key of the source, or leave the importer's target out.",
                entity: plan.entity.name, attributes: [plan.entity.key])
        }
        // No record has the key 0 where the store assigns keys.
        if plan.entity.keyGeneration == .assigned, target == .integer(0) { throw plans.noTarget() }
        plan.stage.give(stored: target, row, position)
    }

    func severalObjects() -> GranaryError {
        GranaryError(
            .invalidQuery,
            "The source has several objects, and is imported into one \(schema.entities[plans.top].name). Import one object, or leave the importer's target out.",
            entity: schema.entities[plans.top].name)
    }

    /// What to say of an object that is a record of another entity.
    func otherThanTarget(_ entity: Int) -> GranaryError {
        GranaryError(
            .invalidQuery,
            "The object was chosen to be a record of \(schema.entities[entity].name), and is imported into one \(schema.entities[plans.top].name). Leave the importer's target out, or its choose.",
            entity: schema.entities[plans.top].name)
    }
}

extension EntityPlans {
    /// - Throws: `recordNotFound` if the record that the source's object is about does not exist.
    func requireTarget(_ batch: Batch) throws {
        guard target != nil, let plan = self[top] else { return }
        for case let (entity, row)? in batch.itemRows where entity == top {
            let state = plan.rows[plan.merged(row)]
            if state.isNew { throw noTarget().at(state.place) }
        }
    }

    func noTarget() -> GranaryError {
        let entity = schema.entities[top]
        return GranaryError(
            .recordNotFound,
            "No record of \(entity.name) has the key of the importer's target, and an import into one record makes no other. Insert the record first, or leave the importer's target out.",
            entity: entity.name, attributes: [entity.key])
    }
}
