import SwiftDiagnostics
import SwiftSyntax

extension RecordReader {
    /// Reads the relationships among static properties: `static let songs = ToMany(\Song.Fields.artist)`.
    mutating func readRelationships(_ variable: VariableDeclSyntax) {
        for binding in variable.bindings {
            guard let shape = RelationshipShape(binding),
                let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
            else { continue }
            guard variable.isLet else {
                let keyword = variable.bindingSpecifier
                report(
                    "\(name.text) is a relationship, which never changes; declare it with static let",
                    id: "relationshipVariable", at: keyword,
                    fixIts: binding.isComputed ? [] : [.replace(keyword, with: "let", "make it a let")])
                continue
            }
            guard let target = shape.target else {
                reportMissingTarget(shape, binding, name)
                continue
            }
            if shape.kind == "ManyToMany", let module = shape.unspecializedModule, !isInverse(binding) {
                let type = "\(module).ManyToMany<\(typeName), \(target.spelled(in: typeName))>"
                report(
                    "\(module).ManyToMany does not know whose relationship \(name.text) is; write ManyToMany alone, or"
                        + " static let \(name.text): \(type)", id: "relationshipOwner", at: name,
                    fixIts: [.insert(": \(type)", after: name, "write the type")])
                continue
            }
            relationships.append(
                .init(name: name.text, target: target.spelled(in: typeName), access: Access(variable.modifiers)))
            relationshipNames.append(name)
        }
    }

    private func isInverse(_ binding: PatternBindingSyntax) -> Bool {
        let call = binding.initializer?.value.as(FunctionCallExprSyntax.self)
        return call?.arguments.first?.expression.is(KeyPathExprSyntax.self) == true
    }

    private mutating func reportMissingTarget(
        _ shape: RelationshipShape, _ binding: PatternBindingSyntax, _ name: TokenSyntax
    ) {
        let type = "\(shape.kind)<\(typeName), <#Record#>>"
        let fixIt: FixIt =
            if let annotation = binding.typeAnnotation?.type {
                .replace(annotation, with: type, "write the type")
            } else {
                .insert(": \(type)", after: name, "write the type")
            }
        report(
            "which records \(name.text) relates to must be seen in the text: write static let \(name.text):"
                + " \(shape.kind)<\(typeName), ...>", id: "relationshipTarget", at: name, fixIts: [fixIt])
    }

    /// Reports a relationship that is declared as an instance property. Returns whether `binding` is one.
    mutating func reportInstanceRelationship(
        _ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax
    ) -> Bool {
        guard RelationshipShape(binding) != nil else { return false }
        let keyword = variable.bindingSpecifier
        report(
            "\(binding.pattern.trimmedDescription) is a relationship, which the type declares and no record holds;"
                + " declare it with static let", id: "instanceRelationship", at: keyword,
            fixIts: [.replace(keyword, with: "static let", "make it a static let")])
        return true
    }

    /// Checks the names of the relationships: each one is also a member of every record, and of queries.
    mutating func checkRelationshipNames() {
        let attributes = Set(properties.flatMap { [$0.plainName.lowercased(), $0.attributeName.lowercased()] })
        var seen: Set<String> = []
        for (relationship, token) in zip(relationships, relationshipNames) {
            let name = relationship.plainName
            if let problem = NameRules.problem(with: name) {
                report(
                    "the relationship name \"\(name)\" \(problem); rename it", id: "relationshipName", at: token)
            } else if attributes.contains(name.lowercased()) || otherNames.contains(name) || name == "id" {
                report(
                    "\(name) is a relationship, which every record has as a property, and there is a property of that"
                        + " name already; rename one of them", id: "doubleAttribute", at: token)
            } else if !seen.insert(name.lowercased()).inserted {
                report(
                    "two relationships of \(typeName) are named \"\(name)\" but for case; rename one of them",
                    id: "doubleAttribute", at: token)
            }
        }
    }
}
