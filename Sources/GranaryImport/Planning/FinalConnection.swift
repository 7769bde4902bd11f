import GranaryCore

/// A relationship that is connected at the end of the import.
struct FinalConnection {
    /// The attribute of a reference, or a to-many relationship by its place among the entity's.
    enum Slot: Hashable {
        case reference(Int)
        case list(Int)
    }

    /// A step of a path from record to record.
    enum Step {
        /// A reference of the records of an entity.
        case reference(entity: Int, position: Int)
        case list(LinkLayout)
    }

    enum Way {
        /// The records with some values of these attributes, among those of a query.
        case search(positions: [Int], AnyRequest)
        case path([Step])
    }

    let name: String
    let slot: Slot
    /// The position of the target's entity.
    let target: Int
    let way: Way
    let missing: ImportMissing

    var isSearch: Bool { if case .search = way { true } else { false } }
}

extension FinalConnection.Slot {
    init?(_ slot: EntityPlan.Slot) {
        switch slot {
        case .attribute(let position), .inferredAttribute(let position): self = .reference(position)
        case .relationship(let index), .inferredRelationship(let index): self = .list(index)
        case .passedOver, .unknown: return nil
        }
    }
}

extension ImportMapping {
    /// The relationships that are connected at the end of the import: by values that do not identify records, in the order
    /// of their names, and after these through paths of the records.
    ///
    /// - Throws: `unknownAttribute`, `invalidQuery`.
    func finalConnections(of entity: Entity, in schema: Schema) throws -> [FinalConnection] {
        var found: [FinalConnection] = []
        for (name, connection) in connections.sorted(by: { $0.key < $1.key }) {
            guard let slot = entity.slot(named: name).flatMap({ FinalConnection.Slot($0) }),
                let target = try entity.target(of: slot, in: schema)
            else { continue }
            let related = schema.entities[target]
            let positions = try connection.pairs.map { try related.position(ofAttribute: $0.attribute) }
            let isIdentity = try related.identities().contains { Set($0).isSubset(of: positions) }
            if isIdentity, connection.candidates == nil { continue }
            try checkSearch(connection, name, of: entity, related)
            found.append(
                FinalConnection(
                    name: name, slot: slot, target: target,
                    way: .search(positions: positions, connection.candidates ?? AnyRequest(related.name)),
                    missing: connection.missing))
        }
        for (name, path) in throughPaths.sorted(by: { $0.key < $1.key }) {
            guard let slot = entity.slot(named: name).flatMap({ FinalConnection.Slot($0) }) else { continue }
            guard let target = try entity.target(of: slot, in: schema) else {
                throw GranaryError(
                    .invalidQuery,
                    "\(entity.name).\(name) is no relationship, so it is not connected through \(path). Connect a reference or a to-many relationship.",
                    entity: entity.name, attributes: [name])
            }
            let (steps, end) = try self.steps(of: path, from: entity, name, in: schema)
            guard end == target else {
                throw GranaryError(
                    .invalidQuery,
                    "\(entity.name).\(name) is connected through \(path), which leads to records of \(schema.entities[end].name), and not of \(schema.entities[target].name). Give a path to these.",
                    entity: entity.name, attributes: [name])
            }
            found.append(
                FinalConnection(name: name, slot: slot, target: target, way: .path(steps), missing: .ignore))
        }
        return found
    }

    private func checkSearch(
        _ connection: ImportConnection, _ name: String, of entity: Entity, _ related: Entity
    ) throws {
        func refuse(_ message: String) -> GranaryError {
            GranaryError(.invalidQuery, "\(entity.name).\(name) \(message)", entity: entity.name, attributes: [name])
        }
        if connection.missing == .keep || connection.missing == .makeStub {
            throw refuse(
                "is connected by values that several records of \(related.name) may have, so a record that is missing is neither made nor waited for in the store. Let missing be wait or ignore."
            )
        }
        guard let candidates = connection.candidates else { return }
        guard candidates.entity.hasSameBytes(as: related.name) else {
            throw refuse(
                "is connected among records of \(candidates.entity), and refers to records of \(related.name). Give a query of \(related.name)."
            )
        }
        guard candidates.limit == nil, candidates.offset == 0 else {
            throw refuse(
                "is connected among the records of a query with a limit or an offset, which would be applied before the values are looked at. Leave them out."
            )
        }
    }

    private func steps(
        of path: String, from entity: Entity, _ name: String, in schema: Schema
    ) throws -> (steps: [FinalConnection.Step], end: Int) {
        var steps: [FinalConnection.Step] = []
        var end = try schema.position(ofEntity: entity.name)
        for part in path.split(separator: ".", omittingEmptySubsequences: false).map(String.init) {
            let current = schema.entities[end]
            if let relationship = current.relationships.first(where: { $0.name.hasSameBytes(as: part) }) {
                let links = try LinkLayout(relationship, in: schema)
                steps.append(.list(links))
                end = links.related
                continue
            }
            let position = try current.position(ofAttribute: part)
            guard let reference = current.attributes[position].reference else {
                throw GranaryError(
                    .invalidQuery,
                    "\(entity.name).\(name) is connected through \(path), and \(current.name).\(part) is no relationship. Lead over references and to-many relationships alone.",
                    entity: entity.name, attributes: [name])
            }
            steps.append(.reference(entity: end, position: position))
            end = try schema.position(ofEntity: reference.entity)
        }
        return (steps, end)
    }
}

extension Entity {
    /// The position of the entity that a relationship leads to; nil if the attribute is not a reference.
    fileprivate func target(of slot: FinalConnection.Slot, in schema: Schema) throws -> Int? {
        switch slot {
        case .reference(let position):
            try attributes[position].reference.map { try schema.position(ofEntity: $0.entity) }
        case .list(let index): try LinkLayout(relationships[index], in: schema).related
        }
    }
}
