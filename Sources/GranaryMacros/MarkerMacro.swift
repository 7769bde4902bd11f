import SwiftSyntax
import SwiftSyntaxMacros

/// `@Key`, `@Version`, `@Index`, `@Unique`, `@Attribute`, `@Transient`, `@Reference`, `@CreatedAt`, `@UpdatedAt`,
/// `@Searchable`: they expand to nothing, and ``RecordMacro`` reads them. This macro only reports markers at places where ``RecordMacro`` does not read them.
struct MarkerMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let name = node.attributeName.trimmedDescription
        let problem: String? =
            if let variable = declaration.as(VariableDeclSyntax.self) {
                if variable.isTypeMember {
                    "@\(name) marks a property of each record; a static property is not one"
                } else if !variable.isStored {
                    "@\(name) marks a stored property; a computed one is not kept in the store"
                } else if !isInRecord(context.lexicalContext) {
                    "@\(name) means something only in a struct marked @Record; mark the struct, or remove @\(name)"
                } else {
                    nil
                }
            } else {
                "@\(name) marks a stored property of a struct marked @Record"
            }
        if let problem {
            context.diagnose(
                .record(problem, id: "misplacedMarker", at: node, fixIts: [.remove(node, "remove @\(name)")]))
        }
        return []
    }

    private static func isInRecord(_ lexicalContext: [Syntax]) -> Bool {
        guard let parent = lexicalContext.first else { return false }
        // RecordMacro reports a record that is a class.
        guard let group = parent.asProtocol((any DeclGroupSyntax).self) else { return false }
        return group.attributes.contains { $0.as(AttributeSyntax.self)?.isNamed("Record") == true }
    }
}
