import ArgumentParser
import GranaryCore
import GranaryFormats
import GranaryPlatform

/// A verb of the tool: its result goes to standard output, all else to standard error.
protocol ToolVerb: AsyncParsableCommand {
    /// Whether the result, and an error, are JSON.
    var isJSON: Bool { get }
    /// How many seconds it waits for other processes and transactions; nil for as long as stores wait by default.
    var wait: Double? { get }

    /// - Throws: A `GranaryError`, which becomes an exit code; an `ExitCode` of its own.
    func perform(_ output: Output) async throws
    /// The exit code for an error: by default that of ``ToolExit/code(for:)``.
    func exitCode(for error: GranaryError) -> ExitCode
    /// Sentences for a person who has met an error: what may be meant instead, and what to do.
    func hints(for error: GranaryError) -> [String]
    /// A sentence that says what the store holds after a signal has ended the verb. Without one of its own, a verb says that
    /// nothing was changed.
    func state(after interruption: GranaryError?) -> String
}

extension ToolVerb {
    func exitCode(for error: GranaryError) -> ExitCode { ToolExit.code(for: error) }
    func hints(for error: GranaryError) -> [String] { [] }
    func state(after interruption: GranaryError?) -> String { "Nothing was changed." }

    func run() async throws {
        let output = Output()
        Interruption.shared.watch()
        PeerWaiting.setLimit(seconds: wait ?? Waiting.seconds)
        Notes.begin(asJSON: isJSON)
        defer { Notes.end() }
        do {
            try CommandLine.requireUTF8()
            try await Waiting.$seconds.withValue(wait ?? Waiting.seconds) { try await perform(output) }
            try output.finish()
        } catch let code as ExitCode {
            try? output.finish()
            throw code
        } catch let error as GranaryError {
            try? output.finish()
            if error.code == .cancelled, let code = reportInterruption(error) { throw code }
            Notes.report(error.namingOptions(), hints: hints(for: error), asJSON: isJSON)
            throw exitCode(for: error)
        } catch let error as ValidationError {
            Notes.report(GranaryError(.usage, error.message), asJSON: isJSON)
            if !isJSON { Notes.line(GranaryCommand.usageString(for: Self.self)) }
            throw ToolExit.usage
        } catch {
            try? output.finish()
            if error is CancellationError, let code = reportInterruption(nil) { throw code }
            Notes.report(GranaryError(.failed, "\(error)"), asJSON: isJSON)
            throw ToolExit.failed
        }
    }

    /// Says that a signal has ended the verb, and what is there now. Nil if no signal has come.
    ///
    /// - Parameter error: What the verb threw. What it has added to the library's words is said, too.
    private func reportInterruption(_ error: GranaryError?) -> ExitCode? {
        guard let code = Interruption.shared.exitCode else { return nil }
        var message = "\(Self.configuration.commandName ?? Self._commandName) was interrupted. \(state(after: error))"
        if let said = error?.message {
            let words = Advice.ofCancellation.first { said.hasPrefix($0) }
            message += words.map { said.dropFirst($0.count) } ?? " \(said)"
        }
        Notes.report(GranaryError(.cancelled, message), hints: error.map(hints) ?? [], asJSON: isJSON)
        return code
    }
}

/// A verb with the options that nearly all have.
protocol FormattedVerb: ToolVerb {
    var options: FormatOptions { get }
}

extension FormattedVerb {
    var isJSON: Bool { options.json }
    var wait: Double? { options.wait }
}

/// The options that nearly every verb has.
struct FormatOptions: ParsableArguments {
    @Flag(help: "Print the result, and an error, as JSON.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "How long to wait for other processes and transactions, 10 seconds without it.", valueName: "seconds"))
    var wait: Double?

    func validate() throws {
        guard let wait, !(wait >= 0) else { return }
        throw ValidationError("The time to wait is a number of seconds, 0 or more.")
    }
}

/// How long a verb waits for other processes and transactions.
enum Waiting {
    /// As long as stores wait by default.
    @TaskLocal static var seconds = 10.0

    /// Does what needs a store alone. While others have the store open it tries again, for as long as the verb waits.
    ///
    /// - Parameter body: Opens the store and closes it: of two that want it alone, neither keeps it open meanwhile.
    static func forOthers<T>(_ body: () async throws -> T) async throws -> T {
        let deadline = Deadline(seconds: seconds)
        while true {
            do {
                // Opening the store waits as well.
                return try await $seconds.withValue(deadline.remaining) { try await body() }
            } catch let error as GranaryError where error.code == .busy && !deadline.isOver {
                try await Task.sleep(for: .milliseconds(Int.random(in: 20...100)))
            }
        }
    }
}

/// Where the help of a verb shows how it is used.
func example(_ lines: String...) -> String {
    "EXAMPLES:\n" + lines.map { "  \(ToolApplication.current.name) \($0)" }.joined(separator: "\n")
}
