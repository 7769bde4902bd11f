import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension RecordReader {
    /// The indexes of `@Record(indexes:unique:)`, checked against the properties.
    mutating func readIndexLists() -> [RecordDescription.Index] {
        var indexes: [RecordDescription.Index] = []
        for argument in attribute.labeledArguments ?? [] {
            guard let label = argument.label?.text, ["indexes", "unique"].contains(label) else { continue }
            guard let lists = argument.expression.as(ArrayExprSyntax.self) else {
                reportNotALiteral(argument.expression)
                continue
            }
            for list in lists.elements {
                guard let names = readNames(list.expression) else { continue }
                indexes.append(.init(attributes: names, isUnique: label == "unique"))
            }
        }
        return indexes
    }

    /// The foldings of `@Index(.caseInsensitive, .diacriticInsensitive)`; nil after an error.
    mutating func readFolding(_ marker: AttributeSyntax, of property: RecordDescription.Property) -> [String]? {
        var folding: Set<String> = []
        for argument in marker.labeledArguments ?? [] {
            let options =
                argument.expression.as(ArrayExprSyntax.self)?.elements.map(\.expression) ?? [argument.expression]
            for option in options {
                guard let name = option.memberName, RecordDescription.foldings.contains(name) else {
                    report(
                        "what an index overlooks is written here: .caseInsensitive, .diacriticInsensitive or both",
                        id: "indexFolding", at: option)
                    return nil
                }
                folding.insert(name)
            }
        }
        if let arguments = marker.labeledArguments, !folding.isEmpty, !property.mayBeText {
            report(
                "only texts can be compared without regard to case or diacritics; \(property.plainName) is none",
                id: "indexFolding", at: arguments)
            return nil
        }
        return RecordDescription.foldings.filter(folding.contains)
    }

    private mutating func readNames(_ expression: ExprSyntax) -> [String]? {
        guard let list = expression.as(ArrayExprSyntax.self) else {
            reportNotALiteral(expression)
            return nil
        }
        guard (1...16).contains(list.elements.count) else {
            report("an index has 1 to 16 properties", id: "indexSize", at: list)
            return nil
        }
        var names: [String] = []
        var isComplete = true
        for element in list.elements {
            guard let name = element.expression.stringValue else {
                reportNotALiteral(element.expression)
                return nil
            }
            guard let property = properties.first(where: { $0.plainName == name }) else {
                reportUnknown(name, at: element.expression)
                isComplete = false
                continue
            }
            if names.contains(property.attributeName) {
                report("an index names each property once", id: "doubleInIndex", at: element.expression)
                isComplete = false
            }
            names.append(property.attributeName)
        }
        return isComplete ? names : nil
    }

    private mutating func reportUnknown(_ name: String, at expression: ExprSyntax) {
        // A property left out because of its own error is not unknown.
        guard errorCount == 0 || !isDeclared(name) else { return }
        let near =
            properties.first { $0.attributeName == name }?.plainName
            ?? NameRules.nearest(to: name, among: properties.map(\.plainName))
        let advice =
            near.map { "; did you mean \"\($0)\"?" }
            ?? "; it has: \(properties.map(\.plainName).joined(separator: ", "))"
        report(
            "\(typeName) has no stored property \"\(name)\"\(advice)", id: "unknownProperty", at: expression,
            fixIts: near.map { [.replace(expression, with: $0.quoted, "write \"\($0)\"")] } ?? [])
    }

    private func isDeclared(_ name: String) -> Bool {
        declaration.memberBlock.members.contains { member in
            member.decl.as(VariableDeclSyntax.self)?.bindings.contains {
                $0.pattern.trimmedDescription.withoutBackticks == name
            } == true
        }
    }

    private mutating func reportNotALiteral(_ expression: ExprSyntax) {
        report(
            "indexes are written here as lists of property names: [[\"name\", \"born\"]]", id: "indexLiteral",
            at: expression)
    }

    /// Each index once. An index that is not unique is removed if the same index exists as unique.
    static func withoutDoubles(_ indexes: [RecordDescription.Index]) -> [RecordDescription.Index] {
        var result: [RecordDescription.Index] = []
        for index in indexes {
            let unique = RecordDescription.Index(
                attributes: index.attributes, isUnique: true, folding: index.folding)
            if result.contains(index) || (!index.isUnique && indexes.contains(unique)) { continue }
            result.append(index)
        }
        return result
    }
}

extension RecordDescription.Property {
    /// Whether the property is a text, or has a type of the user that may be stored as text.
    fileprivate var mayBeText: Bool {
        guard coding == .plain, case .named(let name, _) = TypeShape(TypeSyntax("\(raw: type)")) else { return false }
        return !TypeShape.builtIn.contains(name) || ["String", "URL"].contains(name)
    }
}
