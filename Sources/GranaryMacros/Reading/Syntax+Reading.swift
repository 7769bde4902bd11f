import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

extension AttributeSyntax {
    /// Whether the attribute is this macro, with or without its module name.
    func isNamed(_ name: String) -> Bool {
        if let type = attributeName.as(IdentifierTypeSyntax.self) { return type.name.text == name }
        guard let type = attributeName.as(MemberTypeSyntax.self) else { return false }
        return type.name.text == name && type.baseType.trimmedDescription == "Granary"
    }

    /// The arguments in parentheses, if there are any.
    var labeledArguments: LabeledExprListSyntax? { arguments?.as(LabeledExprListSyntax.self) }
}

extension VariableDeclSyntax {
    /// Whether the property belongs to the type, not to its instances.
    var isTypeMember: Bool {
        modifiers.contains { [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind) }
    }

    var isLet: Bool { bindingSpecifier.tokenKind == .keyword(.let) }

    /// Whether each instance stores the property.
    var isStored: Bool { bindings.contains { !$0.isComputed } }

    var lazyModifier: DeclModifierSyntax? { modifiers.first { $0.name.tokenKind == .keyword(.lazy) } }
}

extension PatternBindingSyntax {
    /// Whether the property has a getter. A property that has only observers is stored.
    var isComputed: Bool {
        switch accessorBlock?.accessors {
        case nil: false
        case .getter?: true
        case .accessors(let accessors)?:
            !accessors.allSatisfy { accessor in
                [.keyword(.willSet), .keyword(.didSet)].contains(accessor.accessorSpecifier.tokenKind)
            }
        }
    }
}

extension ExprSyntax {
    /// Whether the expression is a literal: a number, text without interpolation, true, false, nil, or a list or
    /// dictionary of literals.
    var isLiteral: Bool {
        if `is`(IntegerLiteralExprSyntax.self) || `is`(FloatLiteralExprSyntax.self)
            || `is`(BooleanLiteralExprSyntax.self)
            || `is`(NilLiteralExprSyntax.self)
        {
            return true
        }
        if let string = `as`(StringLiteralExprSyntax.self) { return string.representedLiteralValue != nil }
        if let prefix = `as`(PrefixOperatorExprSyntax.self) {
            return prefix.operator.text == "-" && prefix.expression.isLiteral
        }
        if let array = `as`(ArrayExprSyntax.self) { return array.elements.allSatisfy { $0.expression.isLiteral } }
        if let dictionary = `as`(DictionaryExprSyntax.self) {
            guard case .elements(let elements) = dictionary.content else { return true }
            return elements.allSatisfy { $0.key.isLiteral && $0.value.isLiteral }
        }
        return false
    }

    /// The expression as Swift code, if it has the same value each time: a literal, or a case of a type of the user. Nil
    /// for `nil`.
    func constant(of type: TypeSyntax, spelled: String) -> String? {
        if `is`(NilLiteralExprSyntax.self) { return nil }
        if isLiteral { return stringValue?.quoted ?? trimmedDescription }
        // `Date.now` and `UUID.zero` look like cases.
        guard case .named(let name, _) = TypeShape(type), !TypeShape.builtIn.contains(name),
            let member = `as`(MemberAccessExprSyntax.self), member.declName.argumentNames == nil,
            // `.none` of an optional type is nil.
            member.declName.baseName.text != "none" || member.base != nil
        else { return nil }
        let base = member.base?.trimmedDescription
        guard base == nil || base == type.trimmedDescription else { return nil }
        return "\(spelled).\(member.declName.baseName.text)"
    }

    /// The type of a property with this initial value, if the value alone determines it.
    var inferredType: TypeSyntax? {
        if `is`(IntegerLiteralExprSyntax.self) { return "Int" }
        if `is`(FloatLiteralExprSyntax.self) { return "Double" }
        if `is`(BooleanLiteralExprSyntax.self) { return "Bool" }
        if `is`(StringLiteralExprSyntax.self) { return "String" }
        if let prefix = `as`(PrefixOperatorExprSyntax.self), prefix.operator.text == "-" {
            return prefix.expression.inferredType
        }
        return switch trimmedDescription {
        case "UUID()", "UUID.timeOrdered()": "UUID"
        case "Date()", "Date.now": "Date"
        case "Data()": "Data"
        default: nil
        }
    }

    /// The text of a string literal without interpolation.
    var stringValue: String? { `as`(StringLiteralExprSyntax.self)?.representedLiteralValue }
}

extension String {
    /// The text as a string literal in one line.
    var quoted: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20: text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
