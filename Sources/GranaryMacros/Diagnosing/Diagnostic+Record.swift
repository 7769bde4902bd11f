import SwiftDiagnostics
import SwiftSyntax

/// A message of the macros. Its identifier is stable, its text is not.
struct RecordMessage: DiagnosticMessage, FixItMessage {
    let message: String
    let id: String
    var severity: DiagnosticSeverity = .error

    var diagnosticID: MessageID { MessageID(domain: "Granary", id: id) }
    var fixItID: MessageID { diagnosticID }
}

extension Diagnostic {
    static func record(
        _ message: String, id: String, at node: some SyntaxProtocol, severity: DiagnosticSeverity = .error,
        fixIts: [FixIt] = []
    ) -> Diagnostic {
        Diagnostic(
            node: node, message: RecordMessage(message: message, id: id, severity: severity), fixIts: fixIts)
    }
}

extension FixIt {
    /// Inserts text before a node, after the node's comments.
    static func insert(_ text: String, before node: some SyntaxProtocol, _ message: String) -> FixIt {
        let position = node.positionAfterSkippingLeadingTrivia
        return change([.replaceText(range: position..<position, with: text, in: Syntax(node))], message)
    }

    /// Inserts text directly after a node.
    static func insert(_ text: String, after node: some SyntaxProtocol, _ message: String) -> FixIt {
        let position = node.endPositionBeforeTrailingTrivia
        return change([.replaceText(range: position..<position, with: text, in: Syntax(node))], message)
    }

    static func replace(_ node: some SyntaxProtocol, with text: String, _ message: String) -> FixIt {
        change([.text(text, for: node)], message)
    }

    /// Removes a node and the white space after it.
    static func remove(_ node: some SyntaxProtocol, _ message: String) -> FixIt {
        change([.removal(of: node)], message)
    }

    static func change(_ changes: [Change], _ message: String) -> FixIt {
        FixIt(message: RecordMessage(message: message, id: "fix"), changes: changes)
    }
}

extension FixIt.Change {
    static func text(_ text: String, for node: some SyntaxProtocol) -> FixIt.Change {
        .replaceText(
            range: node.positionAfterSkippingLeadingTrivia..<node.endPositionBeforeTrailingTrivia, with: text,
            in: Syntax(node))
    }

    static func removal(of node: some SyntaxProtocol) -> FixIt.Change {
        .replaceText(range: node.positionAfterSkippingLeadingTrivia..<node.endPosition, with: "", in: Syntax(node))
    }
}
