import GranaryCore

// An import into one record: its key is given by the importer, and not by the object.

extension ImportRun {
    /// Gives the object of the source the key of the record that it is about.
    func giveTarget(_ plan: EntityPlan, _ row: Int) throws {
        guard let target = importer.target else { return }
        let position = plan.entity.keyPosition
        if plan.stage.isGiven(row, position), !target.withCell({ areSame($0, plan.stage[row, position]) }) {
            throw GranaryError(
                .invalidRecord,
                "The object has another \(plan.entity.name).\(plan.entity.key) than the record that it is imported into, and the key of a record never changes. Ignore the key of the source, or leave the importer's target out.",
                entity: plan.entity.name, attributes: [plan.entity.key])
        }
        plan.stage.give(stored: target, row, position)
    }

    /// - Throws: `recordNotFound` if the record that the source's object is about does not exist.
    func requireTarget() throws {
        guard importer.target != nil, let plan = plans[top] else { return }
        for case let (entity, row)? in itemRows where entity == top {
            let state = plan.rows[plan.merged(row)]
            if state.isNew { throw GranaryError.noRecord(plan.entity).at(state.place.path) }
        }
    }

    func severalObjects() -> GranaryError {
        GranaryError(
            .invalidQuery,
            "The source has several objects, and is imported into one \(schema.entities[top].name). Import one object, or leave the importer's target out.",
            entity: schema.entities[top].name)
    }
}
