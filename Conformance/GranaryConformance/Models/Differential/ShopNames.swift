import ConformanceKit
import GranaryCore

/// The paths and relationships of the music shop's entities, found once.
struct ShopNames: Sendable {
    static let shared = ShopNames(SuiteSchema.shop)

    private(set) var paths: [String: [QueryMaker.Kind: [String]]] = [:]
    private(set) var json: [String: [String]] = [:]
    private(set) var relationships: [String: [(path: String, target: String)]] = [:]

    private init(_ schema: Schema) {
        for entity in schema.entities {
            for (path, type) in ShopNames.attributes(entity.name, 3, schema) {
                if type == .json { json[entity.name, default: []].append(path) }
                guard let kind = QueryMaker.Kind(type) else { continue }
                paths[entity.name, default: [:]][kind, default: []].append(path)
            }
            relationships[entity.name] = ShopNames.relationships(entity.name, 1, schema)
        }
    }

    private static func entity(_ name: String, _ schema: Schema) -> Entity? {
        schema.entities.first { $0.name == name }
    }

    private static func references(_ entity: Entity) -> [(name: String, target: String)] {
        entity.attributes.compactMap { attribute in attribute.reference.map { (attribute.name, $0.entity) } }
    }

    private static func attributes(_ name: String, _ depth: Int, _ schema: Schema) -> [(String, AttributeType)] {
        guard let entity = entity(name, schema) else { return [] }
        var found = entity.attributes.map { ($0.name, $0.type) }
        guard depth > 0 else { return found }
        for reference in references(entity) {
            found += attributes(reference.target, depth - 1, schema).map { ("\(reference.name).\($0.0)", $0.1) }
        }
        return found
    }

    private static func relationships(_ name: String, _ depth: Int, _ schema: Schema) -> [(
        path: String, target: String
    )] {
        guard let owner = entity(name, schema) else { return [] }
        var found: [(path: String, target: String)] = owner.relationships.map { relationship in
            let source = entity(relationship.entity, schema)
            let through = source.map(references)?.first { $0.name == relationship.through }
            return (relationship.name, through?.target ?? relationship.entity)
        }
        guard depth > 0 else { return found }
        for reference in references(owner) {
            found += relationships(reference.target, depth - 1, schema).map {
                ("\(reference.name).\($0.path)", $0.target)
            }
        }
        return found
    }
}
