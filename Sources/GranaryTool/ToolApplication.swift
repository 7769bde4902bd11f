public import ArgumentParser
public import GranaryCore

/// An app that embeds the verbs of the `granary` tool, with its own record types.
///
/// ```swift
/// import Granary
/// import GranaryTool
///
/// @main enum MusicTool {
///     static func main() async {
///         await ToolApplication(
///             name: "music-tool", schema: Schema(Artist.self, Song.self), migration: .plan(steps), seed: .json(catalogue)
///         ).main()
///     }
/// }
/// ```
///
/// With a schema, `plan STORE` and `migrate STORE` compare a store with the app's records and use the app's steps,
/// `schema` prints the records, `seed STORE` makes a store of them from the app's seed, `reset STORE --to-seed` goes
/// back to that seed, and `memory:` is a store of them. All other verbs use the stored schema, so that they work on
/// stores of every version.
///
/// An app with verbs of its own has its own command, with ``GranaryCommand/verbs`` among its subcommands, and passes it
/// to ``main(_:)``.
public struct ToolApplication: Sendable {
    /// The name of the tool in the help.
    public var name: String
    public var abstract: String
    /// The app's records; nil for a tool without records of its own.
    public var schema: Schema?
    /// What `plan` and `migrate` may do to bring a store to the app's records, with the app's steps if there are any.
    /// For a migration to another schema they use `inferred`.
    public var migration: MigrationPolicy
    /// The seed of `seed` and `reset --to-seed`, if the command line names no other.
    public var seed: Seed?
    /// The version that `--version` prints: by default the version of Granary.
    public var version: String

    /// The version of Granary.
    public static let granaryVersion = "0.1.0"

    public init(
        name: String, abstract: String = "Look after this app's stores.", schema: Schema? = nil,
        migration: MigrationPolicy = .inferred, seed: Seed? = nil, version: String = granaryVersion
    ) {
        (self.name, self.abstract, self.version) = (name, abstract, version)
        (self.schema, self.migration, self.seed) = (schema, migration, seed)
    }

    /// The application of the running verb.
    @TaskLocal static var current = ToolApplication(name: "granary", abstract: "Look after Granary stores.")

    /// Reads the process's arguments, runs the verb, and ends the process if it failed: see ``ToolExit``.
    public func main(_ command: (some AsyncParsableCommand).Type = GranaryCommand.self) async {
        // A separate task, so that signals can cancel it while a verb runs.
        let task = Task { await ToolApplication.$current.withValue(self) { await command.main() } }
        Interruption.shared.cancels(with: { task.cancel() })
        await task.value
    }
}
