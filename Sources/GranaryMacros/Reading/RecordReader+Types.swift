import SwiftSyntax

extension RecordReader {
    /// Reports a type that no attribute can hold. Returns false after such a report.
    mutating func checkType(_ type: TypeSyntax, of variable: VariableDeclSyntax, _ name: TokenSyntax) -> Bool {
        switch TypeShape(type) {
        case .named("Ref", let arguments):
            return checkTarget(of: type, arguments, name)
        case .named: return true
        case .unsupported(let what, .json):
            report(
                "\(name.text) is \(what), which no attribute holds; keep it as JSON with @Attribute(.json)"
                    + (type.isListOfUserType ? ", or records with ToMany" : ""),
                id: "unsupportedType", at: type,
                fixIts: [.insert("@Attribute(.json) ", before: variable, "add @Attribute(.json)")])
        case .unsupported(let what, .toMany):
            report(
                "\(name.text) is \(what); a record holds no list of others: give the other record a"
                    + " Ref<\(typeName)> and declare here which records those are, with static let \(name.text) ="
                    + " ToMany(...)", id: "unsupportedType", at: type)
        case .unsupported(let what, .use(let other)):
            report(
                "\(name.text) is \(what), which no attribute holds; use \(other)", id: "unsupportedType", at: type,
                fixIts: [.replace(type, with: other, "use \(other)")])
        case .unsupported(let what, .none):
            report(
                "\(name.text) is \(what), which no attribute holds; use another type, or make it @Transient",
                id: "unsupportedType", at: type)
        }
        return false
    }

    /// A `Ref` refers to one record type.
    private mutating func checkTarget(of type: TypeSyntax, _ arguments: [TypeSyntax], _ name: TokenSyntax) -> Bool {
        guard let target = arguments.first, arguments.count == 1 else {
            report(
                "\(name.text) must say which record it refers to: Ref<Genre>", id: "referenceTarget", at: type)
            return false
        }
        let isRecord =
            switch TypeShape(target) {
            case .named(let name, let arguments): !TypeShape.builtIn.contains(name) && arguments.isEmpty
            case .unsupported: false
            }
        guard isRecord, !target.unwrapped.isOptional else {
            let hint =
                target.unwrapped.isOptional
                ? "an optional relationship is Ref<\(target.unwrapped.type.trimmedDescription)>?"
                : "\(target.trimmedDescription) is none"
            report("a Ref refers to a record type; \(hint)", id: "referenceTarget", at: target)
            return false
        }
        return true
    }

    /// `@Reference(onDelete:)` needs a `Ref`, and `.nullify` an optional one.
    mutating func checkReference(_ markers: Markers, _ type: TypeSyntax, _ name: TokenSyntax) {
        guard let marker = markers.reference else { return }
        let (wrapped, isOptional) = type.unwrapped
        guard case .named("Ref", _) = TypeShape(wrapped) else {
            report(
                "@Reference is for relationships; \(name.text) is not a Ref<...>", id: "referenceType", at: marker,
                fixIts: [.remove(marker, "remove @Reference")])
            return
        }
        guard let rule = markers.onDelete else { return }
        guard let ruleName = rule.memberName, ["nullify", "cascade", "deny", "noAction"].contains(ruleName) else {
            report(
                "the rule is written here: .nullify, .cascade, .deny or .noAction", id: "deleteRule", at: rule)
            return
        }
        if ruleName == "nullify" && !isOptional {
            report(
                "\(name.text) is required, so a deletion cannot set it to nil; make it optional, or use"
                    + " .cascade or .deny",
                id: "requiredNullify", at: rule, fixIts: [.insert("?", after: type, "make \(name.text) optional")])
        }
    }

    /// Checks that the type of a key is allowed.
    mutating func checkKey(
        _ marker: AttributeSyntax, _ variable: VariableDeclSyntax, _ name: TokenSyntax, _ type: TypeSyntax,
        _ coding: RecordDescription.Coding, isAssigned: Bool
    ) {
        let (wrapped, isOptional) = type.unwrapped
        if isOptional {
            let text = wrapped.trimmedDescription
            report(
                "a key cannot be optional: every record has one", id: "optionalKey", at: type,
                fixIts: [.replace(type, with: text, "write \(text)")])
            return
        }
        guard coding == .plain else {
            report("a key is stored as it is; remove @Attribute", id: "keyCoding", at: type)
            return
        }
        // An unknown type is a type of the user: the compiler checks that it is a RecordKey.
        guard case .named(let typeName, _) = TypeShape(wrapped) else { return }
        let text = wrapped.trimmedDescription
        if TypeShape.builtIn.contains(typeName) && !TypeShape.keys.contains(typeName) {
            let isInteger = typeName.hasPrefix("Int") || typeName.hasPrefix("UInt")
            report(
                "a key is an Int64, Int, UUID or String, or a RecordKey of your own, not \(text)", id: "keyType",
                at: type,
                fixIts: isInteger ? [.replace(type, with: "Int64", "use Int64")] : [])
            return
        }
        guard isAssigned else { return }
        if TypeShape.builtIn.contains(typeName) && !TypeShape.assignedKeys.contains(typeName) {
            report(
                "a store assigns only integer keys: make \(name.text) an Int64, or give the key yourself with @Key",
                id: "assignedKeyType", at: type,
                fixIts: [
                    .replace(type, with: "Int64", "use Int64"),
                    .replace(marker, with: "@Key", "give the key yourself"),
                ])
        } else if variable.isLet {
            report(
                "the store assigns this key after the record is made; make \(name.text) a var", id: "assignedConstant",
                at: variable.bindingSpecifier,
                fixIts: [.replace(variable.bindingSpecifier, with: "var", "make it a var")])
        }
    }
}

extension TypeSyntax {
    /// Whether it is an array of a type that may be a record: `[Song]`.
    fileprivate var isListOfUserType: Bool {
        guard let element = `as`(ArrayTypeSyntax.self)?.element, case .named(let name, _) = TypeShape(element) else {
            return false
        }
        return !TypeShape.builtIn.contains(name)
    }
}
