import GranaryCore

// An import into one record: its key is given by the importer, and not by the object.

extension ImportRun {
    /// The key of the record that the source's object is about, as the key's attribute has it: a text "7" is 7.
    ///
    /// - Throws: `typeMismatch` if no record can have it.
    func targetKey() throws -> StoredValue? {
        guard let given = importer.target else { return nil }
        let plan = try plan(top)
        let position = plan.entity.keyPosition
        if given.kind == plan.entity.attributes[position].type.storage { return given }
        let row = plan.stage.addRow()
        defer { plan.stage.removeLast() }
        let scalar: Scalar =
            switch given {
            case .null: .null
            case .integer(let number): .integer(number)
            case .real(let number): .real(number)
            case .text, .bytes: .null
            }
        let refused =
            switch given {
            case .text(let utf8):
                utf8.withUnsafeBytes { plan.converters[position].convert(.text($0), into: plan.stage, row, position) }
            default: plan.converters[position].convert(scalar, into: plan.stage, row, position)
            }
        guard refused == nil, !plan.stage[row, position].isNull else { throw GranaryError.keyMisfit(plan.entity) }
        return StoredValue(plan.stage[row, position])
    }

    /// Whether an object is the one of the source whose record is given.
    func isTarget(_ plan: EntityPlan, _ place: ImportPlace) -> Bool {
        target != nil && plan.position == top && place.parent == nil
    }

    /// Gives the object of the source the key of the record that it is about.
    func giveTarget(_ plan: EntityPlan, _ row: Int) throws {
        guard let target else { return }
        let position = plan.entity.keyPosition
        if plan.stage.isGiven(row, position), !target.withCell({ areSame($0, plan.stage[row, position]) }) {
            throw GranaryError(
                .invalidRecord,
                "The object has another \(plan.entity.name).\(plan.entity.key) than the record that it is imported into, and the key of a record never changes. Ignore the key of the source, or leave the importer's target out.",
                entity: plan.entity.name, attributes: [plan.entity.key])
        }
        // No record has the key 0 where the store assigns keys.
        if plan.entity.keyGeneration == .assigned, target == .integer(0) { throw noTarget() }
        plan.stage.give(stored: target, row, position)
    }

    /// - Throws: `recordNotFound` if the record that the source's object is about does not exist.
    func requireTarget() throws {
        guard target != nil, let plan = plans[top] else { return }
        for case let (entity, row)? in batch.itemRows where entity == top {
            let state = plan.rows[plan.merged(row)]
            if state.isNew { throw noTarget().at(state.place) }
        }
    }

    private func noTarget() -> GranaryError {
        let entity = schema.entities[top]
        return GranaryError(
            .recordNotFound,
            "No record of \(entity.name) has the key of the importer's target, and an import into one record makes no other. Insert the record first, or leave the importer's target out.",
            entity: entity.name, attributes: [entity.key])
    }

    func severalObjects() -> GranaryError {
        GranaryError(
            .invalidQuery,
            "The source has several objects, and is imported into one \(schema.entities[top].name). Import one object, or leave the importer's target out.",
            entity: schema.entities[top].name)
    }

    /// What to say of an object that is a record of another entity.
    func otherThanTarget(_ entity: Int) -> GranaryError {
        GranaryError(
            .invalidQuery,
            "The object was chosen to be a record of \(schema.entities[entity].name), and is imported into one \(schema.entities[top].name). Leave the importer's target out, or its choose.",
            entity: schema.entities[top].name)
    }
}
