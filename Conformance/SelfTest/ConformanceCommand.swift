public import ArgumentParser
import ConformanceKit
import GranaryConformanceCommand
import GranaryTool
import StoreSubjects

/// The verbs by which Granary tries itself.
public enum SelfTest {
    public static var verbs: [any ParsableCommand.Type] { [DemoCommand.self, ConformanceCommand.self] }
}

/// `granary conformance`: the suite on the stores that the tool knows.
struct ConformanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Run the conformance suite.",
        discussion: """
            Every case runs on a new store. Exit code 0 only if nothing failed; a case that a store cannot run is \
            reported as skipped, never as passed.
            """)

    @OptionGroup var arguments: ConformanceArguments

    func run() async throws {
        try await arguments.run(on: StoreKind.allCases.map(\.subject) + ConformanceSubject.parted)
    }
}
