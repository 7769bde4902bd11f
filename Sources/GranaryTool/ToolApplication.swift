public import ArgumentParser
public import GranaryCore

/// An app that embeds the verbs of the `granary` tool, with its own records.
///
/// ```swift
/// import Granary
/// import GranaryTool
///
/// @main enum MusicTool {
///     static func main() async {
///         await ToolApplication(name: "music-tool", schema: Schema(Artist.self, Song.self)).main()
///     }
/// }
/// ```
///
/// With a schema `plan STORE` and `migrate STORE` compare a store with the app's records, `schema` prints them, and `memory:`
/// is a store of them. All other verbs go by the schema that is stored, so that they work on stores of every version.
///
/// An app with verbs of its own has a command of its own, of which ``GranaryCommand/verbs`` are subcommands too, and passes it
/// to ``main(_:)``.
public struct ToolApplication: Sendable {
    /// What the help calls the tool.
    public var name: String
    public var abstract: String
    /// The app's records; nil for a tool that knows none.
    public var schema: Schema?

    public init(name: String, abstract: String = "Look after this app's stores.", schema: Schema? = nil) {
        (self.name, self.abstract, self.schema) = (name, abstract, schema)
    }

    /// The application whose verb runs.
    @TaskLocal static var current = ToolApplication(name: "granary", abstract: "Look after Granary stores.")

    /// Reads the process's arguments, runs the verb, and ends the process if it failed: see ``ToolExit``.
    public func main(_ command: (some AsyncParsableCommand).Type = GranaryCommand.self) async {
        await ToolApplication.$current.withValue(self) { await command.main() }
    }
}
