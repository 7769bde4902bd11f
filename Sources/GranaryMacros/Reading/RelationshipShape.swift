import SwiftSyntax
import SwiftSyntaxBuilder

/// The facts about a to-many relationship that the spelling of its declaration shows.
struct RelationshipShape {
    /// `ToMany` or `ManyToMany`.
    var kind: String
    /// The related record's type, if it is written.
    var target: TypeSyntax?
    /// The module before the initial value's type, if that type is written without its generic arguments.
    var unspecializedModule: String?

    /// Reads `songs: ToMany<Artist, Song>`, `songs = ToMany(\Song.Fields.artist)` or `songs = ManyToMany(Song.self)`;
    /// nil for any other declaration.
    init?(_ binding: PatternBindingSyntax) {
        if let annotation = binding.typeAnnotation?.type {
            guard let named = GenericName(annotation) else { return nil }
            kind = named.name
            target = named.arguments.last
            return
        }
        guard let call = binding.initializer?.value.as(FunctionCallExprSyntax.self),
            let named = GenericName(call.calledExpression)
        else { return nil }
        kind = named.name
        target = named.arguments.last ?? call.arguments.first.flatMap(RelationshipShape.target)
        unspecializedModule = named.arguments.isEmpty ? named.module : nil
    }

    /// `Song` for both `\Song.Fields.artist` and `Song.self`.
    private static func target(of argument: LabeledExprSyntax) -> TypeSyntax? {
        guard argument.label == nil else { return nil }
        if let path = argument.expression.as(KeyPathExprSyntax.self) {
            // The parser ends the root at its first period: `A.Song.Fields.artist` has the root `A` and three
            // components.
            var names = path.components.compactMap {
                $0.component.as(KeyPathPropertyComponentSyntax.self)?.trimmedDescription
            }
            guard let root = path.root, names.count == path.components.count, names.popLast() != nil,
                names.popLast() == "Fields"
            else { return nil }
            return "\(raw: ([root.trimmedDescription] + names).joined(separator: "."))"
        }
        if let member = argument.expression.as(MemberAccessExprSyntax.self), let base = member.base,
            member.declName.baseName.tokenKind == .keyword(.self)
        {
            return "\(raw: base.trimmedDescription)"
        }
        return nil
    }
}

/// `ToMany` or `ManyToMany`, as a type or as an expression, with its module and its generic arguments.
private struct GenericName {
    var name: String
    var module: String?
    var arguments: [TypeSyntax] = []

    init?(_ type: TypeSyntax) {
        if let named = type.as(IdentifierTypeSyntax.self) {
            self.init(named.name, module: nil, named.genericArgumentClause)
        } else if let member = type.as(MemberTypeSyntax.self) {
            self.init(member.name, module: member.baseType.trimmedDescription, member.genericArgumentClause)
        } else {
            return nil
        }
    }

    init?(_ expression: ExprSyntax) {
        if let generic = expression.as(GenericSpecializationExprSyntax.self) {
            self.init(generic.expression)
            arguments = generic.genericArgumentClause.types
        } else if let reference = expression.as(DeclReferenceExprSyntax.self) {
            self.init(reference.baseName, module: nil, nil)
        } else if let member = expression.as(MemberAccessExprSyntax.self), let base = member.base {
            if member.declName.baseName.tokenKind == .keyword(.`init`) {
                self.init(base)
            } else {
                self.init(member.declName.baseName, module: base.trimmedDescription, nil)
            }
        } else {
            return nil
        }
    }

    private init?(_ name: TokenSyntax, module: String?, _ clause: GenericArgumentClauseSyntax?) {
        guard ["ToMany", "ManyToMany"].contains(name.text) else { return nil }
        guard module.map({ ["Granary", "GranaryCore", "GranaryModel"].contains($0) }) ?? true else { return nil }
        self.name = name.text
        self.module = module
        arguments = clause?.types ?? []
    }
}

extension GenericArgumentClauseSyntax {
    fileprivate var types: [TypeSyntax] {
        arguments.compactMap { argument in
            if case .type(let type) = argument.argument { type } else { nil }
        }
    }
}
