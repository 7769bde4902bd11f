import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The plug-in that the compiler loads to expand the macros of the `Granary` module.
@main
struct GranaryPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [RecordMacro.self, MarkerMacro.self]
}
