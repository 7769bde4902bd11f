import GranaryCore

extension StoreArgument {
    /// Reasons why a migration would fail although no change is refused: required attributes without a default for
    /// which stored records have no value.
    ///
    /// For each attribute that becomes required, the records with nil are counted. An added attribute has no value in
    /// any record.
    ///
    /// - Parameter wanted: The new schema.
    func missingValues(_ planned: PlannedMigration, in wanted: Schema) async throws -> [String] {
        let added = planned.addedValues
        let required = planned.requiredAttributes(in: wanted)
        guard !required.isEmpty else { return added }
        return try await withStack { stack in
            try await stack.read { snapshot in
                try added
                    + required.compactMap { place in
                        let isNil = AnyCondition.compare(place.old.attribute, .equal, .null)
                        let count = try snapshot.count(Request(place.old.entity).where(isNil))
                        guard count > 0 else { return nil }
                        return
                            "\(place.new.entity).\(place.new.attribute) becomes required and has no default, but records of \(place.new.entity) have nil there: \(count). Give it a default, or the records values."
                    }
            }
        }
    }
}

extension PlannedMigration {
    /// An attribute by its names in the store and in the new schema.
    fileprivate typealias RequiredAttribute = (
        old: (entity: String, attribute: String), new: (entity: String, attribute: String)
    )

    /// The added attributes that are required and have no default, if the store has records of their entity.
    fileprivate var addedValues: [String] {
        difference.changes.compactMap { change in
            guard case .attributeAdded(let entity, let attribute) = change, !attribute.isOptional,
                attribute.defaultValue == nil, let count = count(of: entity), count > 0
            else { return nil }
            return
                "\(entity).\(attribute.name) is required and has no default, but \(entity) has records: \(count). Give it a default, or make it optional."
        }
    }

    /// The optional attributes of the store that become required and have no default.
    fileprivate func requiredAttributes(in wanted: Schema) -> [RequiredAttribute] {
        difference.changes.compactMap { change in
            guard case .optionalityChanged(let entity, let name, isOptional: false) = change,
                let attribute = wanted.entities.first(where: { $0.name == entity })?.attributes.first(where: {
                    $0.name == name
                }), attribute.defaultValue ?? .null == .null
            else { return nil }
            var old = (entity: storedName(ofEntity: entity), attribute: name)
            for case .attributeRenamed(entity, name, let earlier) in difference.changes { old.attribute = earlier }
            return (old, (entity, name))
        }
    }
}
