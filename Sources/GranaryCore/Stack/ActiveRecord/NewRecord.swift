#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The stored values of a record made from what a condition says its attributes equal.
struct NewRecord {
    private(set) var values: [StoredValue]

    init(_ entity: Entity, _ condition: AnyCondition?) throws {
        values = DynamicRecord(entity).values
        var given: Set<Int> = []
        for node in try NewRecord.terms(condition?.root, entity) {
            guard case .compare(let name, .equal, let value) = node else { throw NewRecord.notEqualities(entity) }
            let position = try entity.position(ofAttribute: name)
            try entity.attributes[position].check(value, in: entity)
            guard given.insert(position).inserted || values[position] == value else {
                throw GranaryError(
                    .invalidQuery,
                    "The condition says of \(name) that it equals two values, which no record made from it does. Name one.",
                    entity: entity.name, attributes: [name])
            }
            values[position] = value
        }
        let key = entity.keyPosition
        if !given.contains(key), entity.attributes[key].type == .uuid {
            values[key] = try StoredValue(encoding: UUID.timeOrdered())
        }
        for (position, attribute) in entity.attributes.enumerated()
        where values[position] == .null && !attribute.isOptional {
            throw GranaryError(
                .required,
                "A new \(entity.name) needs a value for \(attribute.name). Name it in the condition, or pass a closure that makes the record.",
                entity: entity.name, attributes: [attribute.name])
        }
    }

    private static func terms(_ node: AnyCondition.Node?, _ entity: Entity) throws -> [AnyCondition.Node] {
        switch node {
        case nil, .always(true): []
        case .all(let nodes): nodes
        case .invalid(let code, let message, let attribute):
            throw GranaryError(code, message, entity: entity.name, attributes: attribute.map { [$0] } ?? [])
        case .some(let node): [node]
        }
    }

    private static func notEqualities(_ entity: Entity) -> GranaryError {
        GranaryError(
            .invalidQuery,
            "A record is made from a condition that says what attributes equal, joined by &&. Pass a closure that makes the record.",
            entity: entity.name)
    }
}

extension Context {
    /// Adds a record that has the values a condition says its attributes equal. Returns its key.
    func insertNew(_ entity: Int, _ condition: AnyCondition?) throws -> StoredValue {
        try insert(try NewRecord(schema.entities[entity], condition).values, into: entity)
    }
}
