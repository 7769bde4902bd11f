import SwiftSyntax

/// The facts about a property's type that its spelling shows.
enum TypeShape {
    /// A type by name, with its generic arguments: `Int64`, `Ref<Genre>`, the user's own.
    case named(String, arguments: [TypeSyntax])
    /// A type no attribute can hold.
    case unsupported(String, Remedy)

    enum Remedy {
        /// The value can be stored as JSON.
        case json
        /// It holds references: the relationship belongs to the other record.
        case toMany
        /// Another type can replace it.
        case use(String)
        case none
    }

    init(_ type: TypeSyntax) {
        self =
            switch type.as(TypeSyntaxEnum.self) {
            case .identifierType(let type): TypeShape(name: type.name.text, type.genericArgumentClause, type)
            case .memberType(let type):
                if TypeShape.modules.contains(type.baseType.trimmedDescription) {
                    TypeShape(name: type.name.text, type.genericArgumentClause, type)
                } else {
                    .named(type.trimmedDescription, arguments: [])
                }
            case .arrayType(let type): TypeShape(arrayOf: type.element)
            case .inlineArrayType: .unsupported("an inline array", .json)
            case .dictionaryType: .unsupported("a dictionary", .json)
            case .tupleType(let type):
                if type.elements.count == 1, let only = type.elements.first, only.firstName == nil {
                    TypeShape(only.type)
                } else {
                    .unsupported("a tuple", .none)
                }
            case .functionType: .unsupported("a function", .none)
            case .attributedType(let type): TypeShape(type.baseType)
            case .someOrAnyType(let type):
                .unsupported("'\(type.someOrAnySpecifier.text)', whose type is not known", .none)
            case .compositionType: .unsupported("a composition of protocols", .none)
            case .metatypeType: .unsupported("a metatype", .none)
            case .optionalType, .implicitlyUnwrappedOptionalType: .unsupported("an optional of an optional", .none)
            default: .unsupported("of a kind that no attribute holds", .none)
            }
    }

    private init(name: String, _ clause: GenericArgumentClauseSyntax?, _ type: some TypeSyntaxProtocol) {
        let arguments: [TypeSyntax] =
            clause?.arguments.compactMap { argument in
                if case .type(let type) = argument.argument { type } else { nil }
            } ?? []
        self =
            switch (name, arguments.count) {
            case ("Array", 1), ("ContiguousArray", 1), ("ArraySlice", 1):
                name == "Array" ? TypeShape(arrayOf: arguments[0]) : .unsupported("an array", .json)
            case ("Set", 1), ("OrderedSet", 1): .unsupported("a set", .json)
            case ("Dictionary", 2), ("OrderedDictionary", 2): .unsupported("a dictionary", .json)
            case ("InlineArray", _): .unsupported("an inline array", .json)
            case ("Optional", 1): .unsupported("an optional of an optional", .none)
            case ("Any", 0), ("AnyObject", 0), ("AnyHashable", 0):
                .unsupported("'\(name)', whose type is not known", .none)
            case ("Void", 0), ("Never", 0): .unsupported("'\(name)', which has no values to keep", .none)
            case ("Character", 0), ("Substring", 0): .unsupported("a \(name)", .use("String"))
            case ("Float16", 0): .unsupported("a Float16", .use("Float"))
            case ("CGFloat", 0), ("Float80", 0): .unsupported("a \(name)", .use("Double"))
            case ("Int128", 0), ("UInt128", 0): .unsupported("a \(name)", .use("Decimal"))
            default: .named(name, arguments: arguments)
            }
    }

    private init(arrayOf element: TypeSyntax) {
        switch TypeShape(element) {
        case .named("UInt8", _): self = .named("[UInt8]", arguments: [])
        case .named("Ref", _): self = .unsupported("an array of references", .toMany)
        default: self = .unsupported("an array", .json)
        }
    }

    private static let modules: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "Granary", "GranaryCore", "GranaryModel",
    ]

    /// The types that GranaryCore itself makes attribute types.
    static let builtIn: Set<String> = [
        "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Float",
        "Float32", "Float64", "Double", "Decimal", "String", "Data", "[UInt8]", "Date", "UUID", "URL", "Ref", "JSON",
        "ScaledDecimal",
    ]
    static let keys: Set<String> = ["Int64", "Int", "UUID", "String"]
    static let versions: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    ]
    /// Types of which none has words.
    static let wordless: Set<String> = versions.union(["Bool", "Float", "Double", "Decimal", "Data", "Date", "UUID"])
    static let assignedKeys: Set<String> = ["Int64", "Int"]
}

extension TypeSyntax {
    /// The type without one level of optional, and whether there was one.
    var unwrapped: (type: TypeSyntax, isOptional: Bool) {
        if let optional = `as`(OptionalTypeSyntax.self) { return (optional.wrappedType.withoutParentheses, true) }
        if let named = `as`(IdentifierTypeSyntax.self), named.name.text == "Optional",
            let clause = named.genericArgumentClause, clause.arguments.count == 1, let only = clause.arguments.first,
            case .type(let type) = only.argument
        {
            return (type, true)
        }
        return (self, false)
    }

    private var withoutParentheses: TypeSyntax {
        guard let tuple = `as`(TupleTypeSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first,
            only.firstName == nil
        else { return self }
        return only.type
    }

    /// The type's text with `Self` replaced: at its new place `Self` would mean another type.
    func spelled(in typeName: String) -> String {
        class Rewriter: SyntaxRewriter {
            let typeName: String
            init(typeName: String) { self.typeName = typeName }
            override func visit(_ node: IdentifierTypeSyntax) -> TypeSyntax {
                guard node.name.tokenKind == .keyword(.Self) else { return super.visit(node) }
                return TypeSyntax(
                    node.with(
                        \.name,
                        .identifier(
                            typeName, leadingTrivia: node.leadingTrivia,
                            trailingTrivia: node.trailingTrivia)))
            }
        }
        return Rewriter(typeName: typeName).rewrite(trimmed).trimmedDescription
    }
}
