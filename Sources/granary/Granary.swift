import ArgumentParser
import GranarySelfTest
import GranaryTool

/// The tool by itself: the verbs that apps can embed, and verbs that test Granary itself.
@main struct Granary: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "granary", abstract: "Look after Granary stores.",
        discussion: """
            A store is named by its path, which says of what kind it is, or as sqlite:PATH, lmdb:PATH, memory:. Results go to \
            standard output, all else to standard error. Exit codes: 0 done; 1 the answer is no; 2 not confirmed; 64 and \
            above as the page "The tool" says.
            """,
        version: ToolApplication.granaryVersion, subcommands: GranaryCommand.verbs + SelfTest.verbs)

    static func main() async { await ToolApplication(name: "granary").main(Granary.self) }
}
