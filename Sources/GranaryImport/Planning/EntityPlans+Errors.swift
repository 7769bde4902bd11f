import GranaryCore

extension EntityPlans {
    /// The error for a reference whose record does not exist.
    ///
    /// - Parameter name: What the source has for the record.
    func dangling(_ plan: EntityPlan, _ position: Int, to target: Int, _ name: NamedRecord?) -> GranaryError {
        .dangling(plan.entity, position).with(value: name.map { text(of: $0, target) })
    }

    /// The error for a list that names a record which has not come.
    ///
    /// - Parameter record: What the source has for the record.
    func missing(_ list: String, of entity: Entity, _ target: Int, _ record: NamedRecord?) -> GranaryError {
        GranaryError(
            .danglingReference,
            "No \(schema.entities[target].name) is there that \(entity.name).\(list) names. Import it first, or have stubs made.",
            entity: entity.name, attributes: [list]
        ).with(value: record.map { text(of: $0, target) })
    }

    /// What the source has for a record, as an error has it.
    private func text(of name: NamedRecord, _ target: Int) -> String {
        let attributes = schema.entities[target].attributes
        return zip(name.positions, name.values).map { $1.textOfError(as: attributes[$0].type) }.joined(separator: ", ")
    }
}
