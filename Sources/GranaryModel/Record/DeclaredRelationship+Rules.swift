// A reference has one delete rule. It may be given by the reference, by a to-many relationship that is its inverse, or
// by both if they agree. If neither gives one, the default applies.

/// The delete rule that a to-many relationship gives to its inverse reference.
struct DeclaredRule {
    /// The relationship as `Artist.songs`.
    let path: String
    let entity: String
    let attribute: String
    let rule: DeleteRule

    /// The rules that these types declare, in their order.
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
    /// Checks that no reference gets two different delete rules.
    func validateDeleteRules() throws {
        /// For each reference, as `Song.artist`: its rule, and the declaration that gives it.
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
