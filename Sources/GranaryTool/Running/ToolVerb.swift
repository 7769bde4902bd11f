import ArgumentParser
import GranaryCore

/// A verb of the tool: its result goes to standard output, all else to standard error.
protocol ToolVerb: AsyncParsableCommand {
    /// Whether the result, and an error, are JSON.
    var isJSON: Bool { get }

    /// - Throws: A `GranaryError`, which becomes an exit code; an `ExitCode` of its own.
    func perform(_ output: Output) async throws
    /// The exit code for an error: by default that of ``ToolExit/code(for:)``.
    func exitCode(for error: GranaryError) -> ExitCode
}

extension ToolVerb {
    func exitCode(for error: GranaryError) -> ExitCode { ToolExit.code(for: error) }

    func run() async throws {
        let output = Output()
        do {
            try await perform(output)
            try output.finish()
        } catch let code as ExitCode {
            try? output.finish()
            throw code
        } catch let error as GranaryError {
            try? output.finish()
            Notes.report(error, asJSON: isJSON)
            throw exitCode(for: error)
        } catch let error as ValidationError {
            Notes.report(GranaryError(.usage, error.message), asJSON: isJSON)
            if !isJSON { Notes.line(GranaryCommand.usageString(for: Self.self)) }
            throw ToolExit.usage
        } catch {
            try? output.finish()
            Notes.report(GranaryError(.failed, "\(error)"), asJSON: isJSON)
            throw ToolExit.failed
        }
    }
}

/// The option that every verb has.
struct FormatOptions: ParsableArguments {
    @Flag(help: "Print the result, and an error, as JSON.")
    var json = false
}

/// Where the help of a verb shows how it is used.
func example(_ lines: String...) -> String {
    "EXAMPLES:\n" + lines.map { "  \(ToolApplication.current.name) \($0)" }.joined(separator: "\n")
}
