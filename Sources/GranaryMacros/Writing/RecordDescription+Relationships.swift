import SwiftSyntax
import SwiftSyntaxBuilder

extension RecordDescription {
    /// The members of the struct for its relationships: the list for the schema, and a member of each instance.
    var relationshipMembers: [DeclSyntax] {
        guard !relationships.isEmpty else { return [] }
        let modifier = access.modifier(inTypeOf: .private) + RecordDescription.isolation
        let list = relationships.map { relationship in
            "        Self.\(relationship.name).declared(as: \(relationship.plainName.quoted)),"
        }.joined(separator: "\n")
        let declared: DeclSyntax = """
            \(raw: modifier)static var relationships: [Granary.DeclaredRelationship] {
                [
            \(raw: list)
                ]
            }
            """
        return [declared] + relationships.map(member)
    }

    private func member(of relationship: Relationship) -> DeclSyntax {
        let modifier = min(relationship.access, access).modifier(inTypeOf: access) + RecordDescription.isolation
        let name = relationship.name
        return """
            \(raw: modifier)var \(raw: name): Granary.RelatedRecords<\(raw: typeName), \(raw: relationship.target)> {
                Self.\(raw: name).records(of: self.\(raw: key.name), as: \(raw: relationship.plainName.quoted))
            }
            """
    }

    /// The lines of `Fields` for relationships, each after a line break.
    var relationshipFieldLines: String {
        relationships.map { relationship in
            let modifier = min(relationship.access, access).modifier(inTypeOf: access)
            let type = "Granary.Related<\(typeName), \(relationship.target)>"
            let name = relationship.plainName.quoted
            return "\n    \(modifier)var \(relationship.name): \(type) { Granary.Related(\(name)) }"
        }.joined()
    }
}
