import GranaryCore
import GranaryPlatform

extension ImportMapping {
    /// Refuses paths that are deeper than imports and exports allow.
    ///
    /// - Throws: `limit`.
    func checkPaths(of entity: Entity) throws {
        let all = [
            Array(paths.values.joined()), ignored, connections.values.flatMap { $0.pairs.map(\.path) },
            takeovers.map(\.path),
        ]
        for path in all.joined() where path.steps.count > ImportRun.maximumDepth {
            throw GranaryError(
                .limit,
                "A path in the mapping of \(entity.name) has \(path.steps.count) parts; a path may have \(ImportRun.maximumDepth). Shorten it: it begins with \(path.description.prefix(40)).",
                entity: entity.name)
        }
    }

    /// Checks the options for relationships, and for values that are taken over, before anything is imported.
    ///
    /// - Throws: `unknownAttribute`, `invalidQuery`.
    func checkRelationships(of entity: Entity, in schema: Schema) throws {
        for (name, rule) in relationships.sorted(by: { $0.key < $1.key }) {
            let attribute = entity.attributes.first { $0.name.hasSameBytes(as: name) }
            if let attribute, rule.policy == .add || rule.policy != .replace && attribute.reference == nil {
                throw GranaryError(
                    .invalidQuery,
                    "\(entity.name).\(name) is not a to-many relationship, so nothing is added to it. Leave the policy out\(attribute.reference == nil ? "." : ", or delete the record that is replaced, with replaceAndDelete.")",
                    entity: entity.name, attributes: [name])
            }
            if rule.updatesRelated, attribute?.reference == nil {
                throw GranaryError(
                    .invalidQuery,
                    "\(entity.name).\(name) is not a to-one reference, so it is not known which of the related records an object would update. Leave updatesRelated out, and give each object its key.",
                    entity: entity.name, attributes: [name])
            }
            guard !rule.identity.isEmpty, let target = try target(of: name, of: entity, in: schema) else { continue }
            for attribute in rule.identity { _ = try target.position(ofAttribute: attribute) }
        }
        for name in Set(relationshipHooks.keys).union(choices.flatMap(\.names)).sorted() {
            let attribute = entity.attributes.first { $0.name.hasSameBytes(as: name) }
            guard let attribute, attribute.reference == nil else { continue }
            throw GranaryError(
                .invalidQuery,
                "\(entity.name).\(name) is no relationship: no record is chosen for it, and it has no hooks of one. Use transform, takeOver(from:), or didImport of the type.",
                entity: entity.name, attributes: [name])
        }
        for takeover in takeovers where takeover.path.plainKeys == nil {
            throw GranaryError(
                .invalidQuery,
                "A value of \(entity.name) is taken over from \"\(takeover.path)\", which is not a path of keys. Use keys alone, as in name.full.",
                entity: entity.name)
        }
        for (name, connection) in connections.sorted(by: { $0.key < $1.key }) {
            guard !connection.pairs.isEmpty else {
                throw GranaryError(
                    .invalidQuery,
                    "\(entity.name).\(name) is connected by no value, so it would never name a record. Give connect at least one path and the attribute that it is of the record.",
                    entity: entity.name, attributes: [name])
            }
            guard let target = try target(of: name, of: entity, in: schema) else { continue }
            for pair in connection.pairs { _ = try target.position(ofAttribute: pair.attribute) }
        }
    }

    /// Refuses a date pattern that no text can match.
    ///
    /// - Throws: `invalidQuery`.
    func checkDates(of entity: Entity) throws {
        for (name, formats) in [("", dateFormats ?? [])] + dateFormatsByName.sorted(by: { $0.key < $1.key }) {
            for case .pattern(let text) in formats {
                guard let fault = DatePattern(text).fault else { continue }
                throw GranaryError(
                    .invalidQuery,
                    "The pattern \"\(text.shortened)\" for dates of \(entity.name) \(fault). Patterns are such as yyyy-MM-dd HH:mm.",
                    entity: entity.name, attributes: name.isEmpty ? [] : [name])
            }
        }
    }

    /// The target entity of a reference or a relationship.
    private func target(of name: String, of entity: Entity, in schema: Schema) throws -> Entity? {
        if let attribute = entity.attributes.first(where: { $0.name.hasSameBytes(as: name) }) {
            return try attribute.reference.map { schema.entities[try schema.position(ofEntity: $0.entity)] }
        }
        guard let relationship = entity.relationships.first(where: { $0.name.hasSameBytes(as: name) }) else {
            return nil
        }
        return schema.entities[try LinkLayout(relationship, in: schema).related]
    }
}
