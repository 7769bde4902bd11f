import GranaryCore

/// Values of an object for the record that a reference leads to: ``ImportMapping/map(_:from:)`` with a name such as
/// `genre.label`.
struct ImportDestination: Sendable {
    struct Part: Sendable {
        /// The whole name, as the mapping has it.
        let name: String
        /// The names after that of the reference.
        let names: [String]
        let paths: [ImportPath]
    }

    /// The reference, and its attribute.
    let reference: String
    let position: Int
    var parts: [Part]
}

extension ImportMapping {
    /// The mapped names that lead to other records, in the order of their references.
    ///
    /// - Throws: `unknownAttribute` for a part of a name that does not exist, `invalidQuery` for one that is not a
    ///   reference and has further parts, or whose reference is connected by other values.
    func destinations(of entity: Entity, in schema: Schema) throws -> [ImportDestination] {
        var destinations: [ImportDestination] = []
        for (name, paths) in paths.sorted(by: { $0.key < $1.key }) where leadsOn(name, from: entity) {
            let names = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            var target = entity
            for name in names.dropLast() {
                guard let next = try target.target(of: name, in: schema) else {
                    throw GranaryError(
                        .invalidQuery,
                        "The mapping of \(entity.name) has the name \(names.joined(separator: ".")), and \(target.name).\(name) is not a to-one reference. Lead to the attribute by references alone.",
                        entity: entity.name, attributes: [names[0]])
                }
                target = next
            }
            if target.slot(named: names[names.count - 1]) == nil {
                _ = try target.position(ofAttribute: names[names.count - 1])
            }
            guard connections[names[0]] == nil else {
                throw GranaryError(
                    .invalidQuery,
                    "\(entity.name).\(names[0]) is connected by values that only name a record, and \(name) is to change that record. Leave one of them out, or map each attribute.",
                    entity: entity.name, attributes: [names[0]])
            }
            if paths.isEmpty { continue }
            let part = ImportDestination.Part(name: name, names: Array(names.dropFirst()), paths: paths)
            if destinations.last?.reference == names[0] {
                destinations[destinations.count - 1].parts.append(part)
            } else {
                let position = try entity.position(ofAttribute: names[0])
                destinations.append(ImportDestination(reference: names[0], position: position, parts: [part]))
            }
        }
        return destinations
    }

    /// - Throws: `unknownAttribute` for a name that the entity does not have.
    func checkNames(of entity: Entity) throws {
        for name in names where entity.slot(named: name) == nil && !(paths[name] != nil && leadsOn(name, from: entity))
        {
            _ = try entity.position(ofAttribute: name)
        }
    }

    /// Whether a name leads to another record: an attribute's own name may have dots too.
    private func leadsOn(_ name: String, from entity: Entity) -> Bool {
        name.contains(".") && entity.slot(named: name) == nil
    }
}

extension Entity {
    /// The entity that a reference leads to; nil if the attribute is not a reference, or the name is a to-many
    /// relationship.
    ///
    /// - Throws: `unknownAttribute`.
    func target(of name: String, in schema: Schema) throws -> Entity? {
        if relationships.contains(where: { $0.name.hasSameBytes(as: name) }) { return nil }
        return try attributes[position(ofAttribute: name)].reference.map {
            schema.entities[try schema.position(ofEntity: $0.entity)]
        }
    }
}
