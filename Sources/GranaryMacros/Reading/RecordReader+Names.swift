import SwiftDiagnostics
import SwiftSyntax

extension RecordReader {
    /// The name in `@Record("Name")`, or the struct's.
    mutating func readEntityName(_ structure: StructDeclSyntax) -> String {
        let given = attribute.labeledArguments?.first.flatMap { $0.label == nil ? $0.expression : nil }
        if let given, !given.is(NilLiteralExprSyntax.self) {
            guard let name = given.stringValue else {
                report("the entity's name is written here as text without interpolation", id: "entityName", at: given)
                return ""
            }
            if let problem = NameRules.problem(with: name) {
                report("the entity name \"\(name)\" \(problem)", id: "entityName", at: given)
            }
            return name
        }
        let name = structure.name.text.withoutBackticks
        if let problem = NameRules.problem(with: name) {
            report(
                "the entity name \"\(name)\" \(problem); give it another with @Record(\"name\")", id: "entityName",
                at: structure.name)
        }
        return name
    }

    /// The names of `renamedFrom: "a", "b"`.
    mutating func readEarlierNames(_ expressions: [ExprSyntax]) -> [String] {
        var names: [String] = []
        for expression in expressions {
            guard let name = expression.stringValue else {
                report(
                    "an earlier name is written here as text without interpolation", id: "earlierName", at: expression)
                continue
            }
            if let problem = NameRules.problem(with: name) {
                report("the earlier name \"\(name)\" \(problem)", id: "earlierName", at: expression)
            }
            names.append(name)
        }
        return names
    }

    /// Checks the names of the attributes: no two may be equal when case is ignored.
    mutating func checkNames() {
        var seen: [String: String] = [:]
        for (property, origin) in zip(properties, origins) {
            let name = property.attributeName
            let place = origin.storedName.map(Syntax.init) ?? Syntax(origin.name)
            let advice =
                origin.storedName == nil ? "; name it in the store with @Attribute(name: \"...\")" : ""
            if let stored = origin.storedName, stored.stringValue == nil {
                report(
                    "the attribute's name is written here as text without interpolation", id: "attributeName",
                    at: stored)
                continue
            }
            if let problem = NameRules.problem(with: name) {
                let fixIts =
                    origin.storedName == nil
                    ? [
                        FixIt.insert(
                            "@Attribute(name: \"<#name#>\") ", before: origin.variable, "add @Attribute(name:)")
                    ]
                    : []
                report(
                    "the attribute name \"\(name)\" \(problem)\(advice)", id: "attributeName", at: place, fixIts: fixIts
                )
            } else if let other = seen[name.lowercased()] {
                let how = other == name ? "" : " but for case"
                report(
                    "two attributes of \(typeName) are named \"\(name)\"\(how)\(advice)", id: "doubleAttribute",
                    at: place)
            } else {
                seen[name.lowercased()] = name
            }
        }
    }

    /// The position of the only key.
    ///
    /// - Parameter unfinished: Properties are missing because of errors reported before; the key may be one of them.
    mutating func checkKeys(_ structure: StructDeclSyntax, unfinished: Bool) -> Int? {
        guard let key = keys.first else {
            if !unfinished { reportMissingKey(structure) }
            return nil
        }
        for second in keys.dropFirst() {
            report(
                "\(typeName) has a key already, \(properties[key.index].plainName); for a pair that must be unique use"
                    + " @Record(unique: [[...]])", id: "secondKey", at: second.marker,
                fixIts: [.remove(second.marker, "remove this @Key")])
        }
        let property = properties[key.index]
        if property.plainName == "id" {
            checkAccess(of: key.index)
        } else if let other = zip(properties, origins).first(where: { $0.0.plainName == "id" })?.1.name
            ?? storedID?.as(TokenSyntax.self)
        {
            report(
                "a record's id is its key, which is \(property.plainName) here; rename this property, or make"
                    + " it the key",
                id: "idIsNotKey", at: other)
        }
        return key.index
    }

    private mutating func reportMissingKey(_ structure: StructDeclSyntax) {
        let id = zip(properties, origins).first { $0.0.plainName == "id" }?.1
        let fixIts = id.map { [FixIt.insert("@Key ", before: $0.variable, "make id the key")] } ?? []
        let advice = id == nil ? "mark one property with @Key, or add '@Key var id: Int64'" : "mark id with @Key"
        report("\(typeName) has no key; \(advice)", id: "missingKey", at: structure.name, fixIts: fixIts)
    }

    /// `id` can be read wherever the record is visible, so the key must be as accessible as the record.
    private mutating func checkAccess(of index: Int) {
        let property = properties[index]
        guard max(property.access, .fileprivate) < max(access, .fileprivate) else { return }
        let variable = origins[index].variable
        let needed = access.name
        let modifier = variable.modifiers.first {
            $0.detail == nil && Access([$0]) == property.access && property.access != .internal
        }
        let fixIt: FixIt =
            if let modifier {
                .replace(modifier, with: needed, "make it \(needed)")
            } else if let first = variable.modifiers.first {
                .insert("\(needed) ", before: first, "make it \(needed)")
            } else {
                .insert("\(needed) ", before: variable.bindingSpecifier, "make it \(needed)")
            }
        report(
            "\(property.plainName) is the key of \(access == .internal ? "an" : "a") \(needed) record and must"
                + " be \(needed) too",
            id: "keyAccess",
            at: origins[index].name, fixIts: [fixIt])
    }
}
