// An old name identifies a stored entity or attribute. So the schema must not use it as a current name, and it must be
// the old name of only one entity or attribute. If two names were exchanged, a store could not show whether they have
// been exchanged already.

extension Schema {
    /// - Throws: `invalidSchema` for old names that contradict each other or a name.
    func validateRenames() throws {
        var owners: [String: String] = [:]
        let names = Set(entities.map { $0.name.lowercased() })
        for entity in entities {
            try Schema.check(entity.renamedFrom, of: entity.name, entity: entity.name, [], names, &owners)
            var attributes: [String: String] = [:]
            let names = Set(entity.attributes.map { $0.name.lowercased() })
            for attribute in entity.attributes {
                try Schema.check(
                    attribute.renamedFrom, of: attribute.name, entity: entity.name, [attribute.name], names,
                    &attributes)
                try Schema.check(valuesOf: attribute, entity)
            }
            var relationships: [String: String] = [:]
            let paths = Set(entity.relationships.map { $0.name.lowercased() })
            for relationship in entity.relationships {
                try Schema.check(
                    relationship.renamedFrom, of: relationship.name, entity: entity.name, [relationship.name], paths,
                    &relationships)
            }
        }
    }

    /// All old values are replaced at once. So an old value must not be a value of the attribute now.
    private static func check(valuesOf attribute: Attribute, _ entity: Entity) throws {
        let values = attribute.renamedValues
        if values.isEmpty { return }
        let path = "\(entity.name).\(attribute.name)"
        func fail(_ message: String) -> GranaryError {
            GranaryError(.invalidSchema, message, entity: entity.name, attributes: [attribute.name])
        }
        guard attribute.reference == nil, attribute.name != entity.key else {
            throw fail(
                "\(path) is a key or a reference, whose values are not renamed. Convert them in a step of a plan.")
        }
        let new = Set(values.map(\.new))
        var seen: Set<StoredValue> = []
        for value in values {
            guard value.new.kind == attribute.type.storage, value.old.kind == attribute.type.storage else {
                throw fail("\(path) holds \(attribute.type), and a value that is renamed is of another type.")
            }
            guard value.old != value.new else {
                throw fail(
                    "\(path) has the value \(value.old) now, and renames it. Remove \(value.old) from renamedFrom, or remove the case that has it."
                )
            }
            guard seen.insert(value.old).inserted else {
                throw fail("\(path) has two new values for one old value. Remove one of them.")
            }
            guard !new.contains(value.old), attribute.defaultValue != value.old else {
                throw fail(
                    "\(path) has the value \(value.old) now, and renames it to \(value.new). Name for each old value the one that the attribute has now."
                )
            }
        }
    }

    private static func check(
        _ earlier: [String], of name: String, entity: String, _ attributes: [String], _ names: Set<String>,
        _ owners: inout [String: String]
    ) throws {
        func fail(_ message: String) -> GranaryError {
            GranaryError(.invalidSchema, message, entity: entity, attributes: attributes)
        }
        let path = attributes.isEmpty ? entity : "\(entity).\(name)"
        for old in earlier {
            guard !names.contains(old.lowercased()) else {
                throw fail(
                    "\(path) is renamed from \(old), which the schema has now. Remove renamedFrom, or give one of the two another name."
                )
            }
            if let other = owners.updateValue(name, forKey: old.lowercased()) {
                throw fail("\(path) and \(other) are both renamed from \(old). Remove renamedFrom from one of them.")
            }
        }
    }
}
