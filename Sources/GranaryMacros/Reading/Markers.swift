import SwiftSyntax

/// The attributes of a property that ``RecordReader`` understands.
struct Markers {
    var key: AttributeSyntax?
    /// One attribute for each folding.
    var indexes: [AttributeSyntax] = []
    var uniques: [AttributeSyntax] = []
    var version: AttributeSyntax?
    var transient: AttributeSyntax?
    var reference: AttributeSyntax?
    /// `@CreatedAt` and `@UpdatedAt`.
    var stamps: [AttributeSyntax] = []
    var searchable: AttributeSyntax?
    var attributes: [AttributeSyntax] = []

    init(_ list: AttributeListSyntax) {
        for element in list {
            guard let attribute = element.as(AttributeSyntax.self) else { continue }
            if attribute.isNamed("Key") { key = attribute }
            if attribute.isNamed("Index") { indexes.append(attribute) }
            if attribute.isNamed("Unique") { uniques.append(attribute) }
            if attribute.isNamed("Version") { version = attribute }
            if attribute.isNamed("Transient") { transient = attribute }
            if attribute.isNamed("Reference") { reference = attribute }
            if attribute.isNamed("CreatedAt") || attribute.isNamed("UpdatedAt") { stamps.append(attribute) }
            if attribute.isNamed("Searchable") { searchable = attribute }
            if attribute.isNamed("Attribute") { attributes.append(attribute) }
        }
    }

    /// The markers that say how a property is stored.
    var ofStorage: [AttributeSyntax] {
        [key, version, reference, searchable].compactMap(\.self) + stamps + indexes + uniques + attributes
    }

    /// Whether the store assigns the keys: `@Key(.assigned)`.
    var isKeyAssigned: Bool { key?.labeledArguments?.first?.expression.memberName == "assigned" }

    /// The rule of `@Reference(onDelete:)`.
    var onDelete: ExprSyntax? { reference?.labeledArguments?.first { $0.label?.text == "onDelete" }?.expression }

    /// The expression of `@Attribute(name:)`.
    var storedName: ExprSyntax? {
        attributes.lazy.compactMap { $0.labeledArguments?.first { $0.label?.text == "name" }?.expression }.first
    }

    /// The expressions of `@Attribute(renamedFrom: "a", "b")`.
    var earlierNames: [ExprSyntax] { attributes.flatMap(\.earlierNames) }

    /// The expression of `@Attribute(.json)` or `@Attribute(.scaled(2))`.
    var kind: ExprSyntax? { kinds.first { !["agreeing", "external"].contains($0.memberName) } }

    /// Whether there is an `@Attribute(.agreeing)`.
    var isAgreeing: Bool { kinds.contains { $0.memberName == "agreeing" } }

    /// `.external` of `@Attribute(.external)`.
    var external: ExprSyntax? { kinds.first { $0.memberName == "external" } }

    private var kinds: [ExprSyntax] {
        attributes.flatMap { attribute in
            (attribute.labeledArguments ?? []).prefix { $0.label == nil }.map(\.expression)
        }
    }
}

extension AttributeSyntax {
    /// The expressions of `renamedFrom: "a", "b"`: the labelled argument, and the unlabelled ones after it.
    var earlierNames: [ExprSyntax] {
        guard let arguments = labeledArguments,
            let start = arguments.firstIndex(where: { $0.label?.text == "renamedFrom" })
        else { return [] }
        let following = arguments[arguments.index(after: start)...].prefix { $0.label == nil }
        return [arguments[start].expression] + following.map(\.expression)
    }
}

extension ExprSyntax {
    /// `json` of `.json` and of `AttributeKind.json`; `scaled` of `.scaled(2)`.
    var memberName: String? {
        if let call = `as`(FunctionCallExprSyntax.self) { return call.calledExpression.memberName }
        return `as`(MemberAccessExprSyntax.self)?.declName.baseName.text
    }
}
