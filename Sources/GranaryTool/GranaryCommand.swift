public import ArgumentParser

/// The verbs of the `granary` tool as one command: see ``ToolApplication``. Exit codes: ``ToolExit``.
public struct GranaryCommand: AsyncParsableCommand {
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: ToolApplication.current.name, abstract: ToolApplication.current.abstract,
            version: ToolApplication.current.version, subcommands: verbs)
    }

    /// All verbs, also for use as subcommands of another command.
    public static var verbs: [any ParsableCommand.Type] {
        [
            InfoVerb.self, SchemaVerb.self, DiffVerb.self, QueryVerb.self, GetVerb.self, SetVerb.self, DeleteVerb.self,
            ImportVerb.self, ExportVerb.self, PlanVerb.self, MigrateVerb.self, SeedVerb.self, ResetVerb.self,
            CopyVerb.self, BackupVerb.self, RestoreVerb.self, VerifyVerb.self, RebuildVerb.self, CompactVerb.self,
            DestroyVerb.self,
        ]
    }

    public init() {}
}
