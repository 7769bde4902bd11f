import SwiftSyntax
import SwiftSyntaxMacros

/// `@Record`: reads the struct and writes the code that makes it a record.
///
/// The members that name the properties' types (`entity`, `Fields`) go into the struct itself, so that the types are
/// looked up where they were written: for a struct nested in a namespace, an extension would find another `Artist` or
/// none. `init(row:)` goes into the extension, because a struct with an initializer in its body loses the memberwise
/// one; it names no types. Only the member half reports mistakes, so each is reported once.
struct RecordMacro: MemberMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        var reader = RecordReader(node, declaration, lexicalContext: context.lexicalContext)
        let record = reader.read()
        for diagnostic in reader.diagnostics { context.diagnose(diagnostic) }
        return record?.members ?? []
    }

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        var reader = RecordReader(node, declaration, lexicalContext: context.lexicalContext)
        guard let record = reader.read() else { return [] }
        let protocols = protocols.compactMap { $0.trimmedDescription.split(separator: ".").last.map(String.init) }
        return [try record.conformance(of: type.trimmedDescription, to: protocols)]
    }
}
