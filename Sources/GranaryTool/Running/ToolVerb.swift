import ArgumentParser
import GranaryCore
import GranaryFormats
import GranaryPlatform

/// A verb of the tool. Its result goes to standard output, all other text to standard error.
protocol ToolVerb: AsyncParsableCommand {
    /// Whether the result, and an error, are JSON.
    var isJSON: Bool { get }
    /// How many seconds it waits for other processes and transactions; nil for the default of stores.
    var wait: Double? { get }

    /// - Throws: A `GranaryError`, which becomes an exit code; an `ExitCode` of its own.
    func perform(_ output: Output) async throws
    /// The exit code for an error: by default ``ToolExit/code(for:)``.
    func exitCode(for error: GranaryError) -> ExitCode
    /// Sentences for a person who sees an error: guesses at what was meant, and advice.
    func hints(for error: GranaryError) -> [String]
    /// A sentence about the contents of the store after a signal has ended the verb. By default it says that nothing
    /// was changed.
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

    /// Reports that a signal has ended the verb, and what the store contains now. Nil if no signal has come.
    ///
    /// - Parameter error: The error that the verb threw. Words that it has added to the library's message are reported,
    ///   too.
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

/// A verb with the options that nearly all verbs have.
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
    /// The default of stores.
    @TaskLocal static var seconds = 10.0

    /// Runs work that must have a store for itself. While other processes have the store open, it tries again, as long
    /// as the verb may wait.
    ///
    /// - Parameter body: Opens the store and closes it. So if two processes do this at once, neither keeps the store
    ///   open while it waits.
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

/// The examples in the help of a verb.
func example(_ lines: String...) -> String {
    "EXAMPLES:\n" + lines.map { "  \(ToolApplication.current.name) \($0)" }.joined(separator: "\n")
}
