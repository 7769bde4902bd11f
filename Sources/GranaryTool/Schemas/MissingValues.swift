import GranaryCore

extension StoreArgument {
    /// Why a migration would fail though nothing refuses it: the attributes that are required and have no default, and that
    /// records of the store have no value for.
    ///
    /// Records are counted for each attribute that becomes required: their nils stay in the way. An attribute that is added has
    /// no value in any record.
    ///
    /// - Parameter wanted: The schema to come.
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
    /// An attribute by its names in the store and in the schema to come.
    fileprivate typealias RequiredAttribute = (
        old: (entity: String, attribute: String), new: (entity: String, attribute: String)
    )

    /// The attributes that are added, are required and have no default, where there are records.
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
