// To-many relationships, and the link entities of many-to-many ones.

extension Schema {
    /// Checks the names and the targets of an entity's relationships.
    func validateRelationships(of entity: Entity) throws {
        func fail(_ relationship: Relationship, _ message: String) -> GranaryError {
            GranaryError(
                .invalidSchema, "\(entity.name).\(relationship.name) \(message)", entity: entity.name,
                attributes: [relationship.name])
        }
        let count = entity.relationships.count
        guard count <= Schema.maximumAttributes else {
            throw GranaryError(
                .invalidSchema,
                "\(entity.name) has \(count) relationships; the limit is \(Schema.maximumAttributes).",
                entity: entity.name)
        }
        let attributes = Set(entity.attributes.map { $0.name.lowercased() })
        var names: Set<String> = []
        for relationship in entity.relationships {
            try Schema.checkName(relationship.name, of: "relationship", entity: entity.name)
            let name = relationship.name.lowercased()
            guard !attributes.contains(name) else {
                throw fail(relationship, "is a relationship, and an attribute has that name. Rename one of them.")
            }
            guard names.insert(name).inserted else {
                throw fail(relationship, "is declared twice but for case. Rename one of the relationships.")
            }
            guard let related = entities.first(where: { $0.name == relationship.entity }) else {
                throw fail(relationship, Schema.missing(relationship, of: entity))
            }
            guard let attribute = related.attributes.first(where: { $0.name == relationship.attribute }) else {
                throw fail(relationship, "is found by \(related.name).\(relationship.attribute), which does not exist.")
            }
            guard attribute.reference?.entity == entity.name else {
                let path = "\(related.name).\(attribute.name)"
                throw fail(
                    relationship,
                    "is found by \(path), which refers to \(attribute.reference?.entity ?? "no entity"), not to"
                        + " \(entity.name). Name a reference to \(entity.name).")
            }
            if let through = relationship.through {
                guard related.attributes.contains(where: { $0.name == through && $0.reference != nil }) else {
                    throw fail(relationship, "goes through \(related.name).\(through), which is no reference.")
                }
                guard through != relationship.attribute else {
                    throw fail(relationship, "goes through \(related.name).\(through) both ways.")
                }
            }
            if let order = relationship.orderedBy, !related.attributes.contains(where: { $0.name == order }) {
                throw fail(relationship, "is ordered by \(related.name).\(order), which does not exist.")
            }
        }
    }

    private static func missing(_ relationship: Relationship, of entity: Entity) -> String {
        if relationship.through == nil {
            return "is a relationship to \(relationship.entity), which the schema lacks. Add it to Schema(...)."
        }
        return "goes through the links \(relationship.entity), which the schema lacks. Add the record that owns them to"
            + " Schema(...); there the relationship is ManyToMany(\(entity.name).self)."
    }

    /// The many-to-many relationships by their link entities' names, in small letters.
    var linkOwners: [String: [(entity: Entity, relationship: Relationship)]] {
        var owners: [String: [(entity: Entity, relationship: Relationship)]] = [:]
        for entity in entities {
            for relationship in entity.relationships
            where relationship.entity == Relationship.linkEntity(of: entity.name, relationship.name)
                && relationship.attribute == Relationship.source && relationship.through == Relationship.target
            {
                owners[relationship.entity.lowercased(), default: []].append((entity, relationship))
            }
        }
        return owners
    }

    static func checkLinkName(_ name: String, of owner: (entity: Entity, relationship: Relationship)) throws {
        let length = name.utf8.count
        guard length > maximumNameLength else { return }
        throw GranaryError(
            .invalidSchema,
            "The links of \(owner.entity.name).\(owner.relationship.name) are an entity \"\(name)\", whose name is"
                + " \(length) bytes long; the limit is \(maximumNameLength). Shorten the relationship's name or the entity's.",
            entity: owner.entity.name, attributes: [owner.relationship.name])
    }

    static func doubleEntity(
        _ name: String, linkOwners owners: [(entity: Entity, relationship: Relationship)]
    ) -> GranaryError {
        let paths = owners.map { "\($0.entity.name).\($0.relationship.name)" }
        switch paths.count {
        case 0:
            return GranaryError(
                .invalidSchema, "Two entities are named \(name); names are unique without regard to case.", entity: name
            )
        case 1:
            return GranaryError(
                .invalidSchema,
                "Two entities are named \(name): one holds the links of \(paths[0]). Rename that relationship, or the"
                    + " other entity.", entity: name)
        default:
            return GranaryError(
                .invalidSchema,
                "The links of \(paths.joined(separator: " and of ")) would be one entity, \(name). Rename one of the"
                    + " relationships.", entity: name)
        }
    }
}
