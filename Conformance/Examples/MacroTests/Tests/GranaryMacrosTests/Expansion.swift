import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import Testing

@testable import GranaryMacros

/// Source with the macros expanded, as the compiler does it.
struct Expansion {
    var source: String
    var text: String
    var findings: [Finding]

    /// One diagnostic.
    struct Finding {
        /// `error` or `warning`, and the message.
        var message: String
        /// The source from where the diagnostic points to.
        var rest: String
        /// Each fix-it's message and the source after it.
        var fixes: [(message: String, source: String)]
    }

    init(_ source: String) {
        self.source = source
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(sourceFiles: [
            file: .init(moduleName: "Test", fullFilePath: "test.swift")
        ])
        let marker = MacroSpec(type: MarkerMacro.self)
        let expanded = file.expand(
            macroSpecs: [
                "Record": MacroSpec(type: RecordMacro.self, conformances: ["Record"]),
                "Key": marker, "Index": marker, "Unique": marker, "Attribute": marker, "Transient": marker,
                "Reference": marker, "Version": marker, "CreatedAt": marker, "UpdatedAt": marker,
                "Searchable": marker,
            ],
            contextGenerator: { node in
                BasicMacroExpansionContext(sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
            }, indentationWidth: .spaces(4))
        text = expanded.description
        let utf8 = Array(source.utf8)
        findings = context.diagnostics.map { diagnostic in
            func offset(_ position: AbsolutePosition) -> Int {
                context.location(for: position, anchoredAt: diagnostic.node, fileName: "").offset
            }
            let fixes = diagnostic.fixIts.map { fixIt in
                var fixed = utf8
                for edit in fixIt.edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
                    fixed.replaceSubrange(
                        offset(edit.range.lowerBound)..<offset(edit.range.upperBound), with: edit.replacement.utf8)
                }
                return (fixIt.message.message, String(decoding: fixed, as: UTF8.self))
            }
            return Finding(
                message: "\(diagnostic.diagMessage.severity): \(diagnostic.message)",
                rest: String(decoding: utf8[offset(diagnostic.position)...], as: UTF8.self), fixes: fixes)
        }
    }
}

/// Expects one diagnostic, at a place that begins with a text, and the sources that its fix-its lead to. A source after
/// a fix-it without placeholders has no errors.
func expect(
    _ source: String, at place: String, _ message: String, fixed: [String] = [],
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    let findings = Expansion(source).findings
    #expect(findings.map(\.message) == [message], sourceLocation: sourceLocation)
    guard let finding = findings.first else { return }
    #expect(finding.rest.hasPrefix(place), "points to: \(finding.rest)", sourceLocation: sourceLocation)
    #expect(finding.fixes.map(\.source) == fixed, sourceLocation: sourceLocation)
    for fix in finding.fixes where !fix.source.contains("<#") {
        #expect(Expansion(fix.source).findings.map(\.message) == [], sourceLocation: sourceLocation)
        #expect(!Parser.parse(source: fix.source).hasError, sourceLocation: sourceLocation)
    }
}

/// The same for one line in a record with a key.
func expect(
    property line: String, at place: String, _ message: String, fixed: [String] = [],
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    func record(_ line: String) -> String {
        "@Record struct Artist {\n    @Key var id: Int64\n    \(line)\n}"
    }
    expect(record(line), at: place, message, fixed: fixed.map(record), sourceLocation: sourceLocation)
}

/// Expects no diagnostic for one line in a record with a key.
func expectAccepted(_ line: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) {
    let findings = Expansion("@Record struct Artist {\n    @Key var id: Int64\n    \(line)\n}").findings
    #expect(findings.map(\.message) == [], sourceLocation: sourceLocation)
}
