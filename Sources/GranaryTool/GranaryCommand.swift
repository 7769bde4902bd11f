public import ArgumentParser

/// The `granary` command, as a library, so that an app can embed the same commands.
///
/// Exit codes: 0 all went well; 1 something failed, or stores did not agree; 64 the arguments make no sense.
public struct GranaryCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "granary",
        abstract: "Look after Granary stores.",
        subcommands: [DemoCommand.self, ConformanceCommand.self])

    public init() {}
}
