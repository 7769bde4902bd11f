import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// What the compiler loads to expand the macros that the `Granary` module declares.
@main
struct GranaryPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [RecordMacro.self, MarkerMacro.self]
}
