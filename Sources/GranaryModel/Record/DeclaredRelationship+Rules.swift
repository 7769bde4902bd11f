// A reference has one delete rule. It may be given by the reference, by a to-many relationship that is its inverse, or by
// both if they say the same; if neither gives one it is the default.

/// The delete rule that a to-many relationship gives to the reference it is the inverse of.
struct DeclaredRule {
    /// The relationship as `Artist.songs`.
    let path: String
    let entity: String
    let attribute: String
    let rule: DeleteRule

    /// Those of these types, in their order.
    static func all(of types: [any Record.Type]) -> [DeclaredRule] {
        var rules: [DeclaredRule] = []
        for type in types {
            let owner = type.entityName
            for declared in type.relationships {
                guard let rule = declared.onDelete else { continue }
                let relationship = declared.relationship
                rules.append(
                    DeclaredRule(
                        path: "\(owner).\(relationship.name)", entity: relationship.entity,
                        attribute: relationship.attribute, rule: rule))
            }
        }
        return rules
    }
}

extension Schema {
    /// Checks that no reference is given one delete rule here and another there.
    func validateDeleteRules() throws {
        /// By the reference as `Song.artist`: the rule it is given, and by which declaration.
        var given: [String: (rule: DeleteRule, by: String)] = [:]
        var declared: [Entity] = []
        for type in recordTypes {
            declared.append(type.entity)
            for relationship in type.relationships { if let link = relationship.link { declared.append(link) } }
        }
        for entity in declared {
            for attribute in entity.attributes {
                guard let reference = attribute.reference, reference.isRuleGiven else { continue }
                given["\(entity.name).\(attribute.name)"] = (reference.onDelete, "by itself")
            }
        }
        for relationship in DeclaredRule.all(of: recordTypes) {
            let path = "\(relationship.entity).\(relationship.attribute)"
            guard let other = given[path] else {
                given[path] = (relationship.rule, "by \(relationship.path)")
                continue
            }
            guard other.rule != relationship.rule else { continue }
            throw GranaryError(
                .invalidSchema,
                "\(path) is given two delete rules: \(other.rule) \(other.by), and \(relationship.rule) by"
                    + " \(relationship.path). Give the rule in one of the two places, or the same in both.",
                entity: relationship.entity, attributes: [relationship.attribute])
        }
    }
}
