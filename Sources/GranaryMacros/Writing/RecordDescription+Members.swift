import SwiftSyntax
import SwiftSyntaxBuilder

extension RecordDescription {
    /// Records are used on every thread, even in a module whose declarations belong to the main actor by default.
    static let isolation = "nonisolated "

    /// The members of the struct: all generated code but the conformance.
    var members: [DeclSyntax] {
        let access = access.modifier(inTypeOf: .private)
        let modifier = access + RecordDescription.isolation
        let keyName = key.attributeName.quoted
        var members: [DeclSyntax] = [
            "\(raw: access)typealias Key = \(raw: key.type)",
            "\(raw: modifier)static let entityName = \(raw: entityName.quoted)",
            """
            \(raw: modifier)static let entity = Granary.Entity(
                Self.entityName, key: \(raw: keyName),\(raw: isKeyAssigned ? " keyGeneration: .assigned," : "")\(raw: versionName.map { " version: \($0.quoted)," } ?? "")
                attributes: [
            \(raw: lines(properties.map(\.attribute), indentation: 8))
                ]\(raw: indexList)\(raw: wordRules.map { ",\n    words: \($0)" } ?? ""))\(raw: earlierNames.renaming)
            """,
            """
            \(raw: modifier)struct Fields: Sendable {
            \(raw: fieldLines)
            }
            """,
            "\(raw: modifier)static let fields = Fields()",
        ]
        if key.plainName != "id" && !declaresID {
            members.append("\(raw: modifier)var id: Key { self.\(raw: key.name) }")
        }
        if isKeyAssigned {
            members.append(
                """
                \(raw: modifier)mutating func take(assignedKey: Key) {
                    self.\(raw: key.name) = assignedKey
                }
                """)
        }
        return members + relationshipMembers
    }

    private var fieldLines: String {
        properties.map { property in
            let modifier = min(property.access, access).modifier(inTypeOf: access)
            let name = property.attributeName.quoted
            return "    \(modifier)let \(property.name) = Granary.Field<\(typeName), \(property.storedType)>(\(name))"
        }.joined(separator: "\n") + relationshipFieldLines + searchLine
    }

    /// The line of `Fields` for searches, after a line break: if there is something to search, and no property has the
    /// name.
    private var searchLine: String {
        let names = properties.map(\.plainName) + relationships.map(\.plainName)
        guard properties.contains(where: { $0.searchArguments != nil }), !names.contains("search") else { return "" }
        return "\n    \(access.modifier(inTypeOf: access))let search = Granary.RecordSearch<\(typeName)>()"
    }

    private var indexList: String {
        guard !indexes.isEmpty else { return "" }
        return ",\n    indexes: [\n\(lines(indexes.map(\.expression), indentation: 8))\n    ]"
    }

    private func lines(_ elements: [String], indentation: Int) -> String {
        elements.map { String(repeating: " ", count: indentation) + $0 + "," }.joined(separator: "\n")
    }
}

extension RecordDescription.Property {
    /// The type in the schema and in queries.
    var storedType: String {
        let type =
            switch coding {
            case .plain: type
            case .json: "Granary.JSON<\(type)>"
            case .scaled(let places): "Granary.ScaledDecimal<\(places)>"
            }
        return isOptional ? type + "?" : type
    }

    /// `Attribute("rating", Double?.self)`.
    fileprivate var attribute: String {
        var arguments = [attributeName.quoted, "\(storedType).self"]
        if let defaultValue {
            let value =
                switch coding {
                case .plain, .scaled: defaultValue
                case .json: "Granary.JSON(\(defaultValue))"
                }
            arguments.append("default: \(value)")
        }
        if let onDelete { arguments.append("onDelete: \(onDelete)") }
        return "Granary.Attribute(\(arguments.joined(separator: ", ")))" + (isAgreeing ? ".agreeing()" : "")
            + (stamp.map { ".stamped(.\($0))" } ?? "")
            + (searchArguments.map { ".searchable(\($0))" } ?? "")
            + (isExternal ? ".external(\(externalSize.map { "from: \($0)" } ?? ""))" : "")
            + earlierNames.renaming
    }
}

extension [String] {
    /// `.renamed(from: "a", "b")`; empty without names.
    fileprivate var renaming: String { isEmpty ? "" : ".renamed(from: \(map(\.quoted).joined(separator: ", ")))" }
}

extension RecordDescription.Index {
    /// `.unique("name", "born")`, `.index("name", folding: .caseInsensitive)`.
    fileprivate var expression: String {
        var arguments = attributes.map(\.quoted)
        switch folding.count {
        case 0: break
        case 1: arguments.append("folding: .\(folding[0])")
        default: arguments.append("folding: [\(folding.map { ".\($0)" }.joined(separator: ", "))]")
        }
        return ".\(isUnique ? "unique" : "index")(\(arguments.joined(separator: ", ")))"
    }
}
