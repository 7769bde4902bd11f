import ArgumentParser
import GranaryCore
import GranaryPlatform

/// Asks for confirmation before a verb destroys data.
struct Confirmation: ParsableArguments {
    @Flag(name: [.customShort("y"), .long], help: "Do it without asking. Needed where there is no terminal.")
    var yes = false

    /// Asks on the terminal, unless `--yes` was given.
    ///
    /// - Throws: `unconfirmed` if the answer is not yes, or there is no terminal to ask on.
    func ask(_ question: String) throws {
        if yes { return }
        guard isatty(STDIN_FILENO) == 1, Notes.isTerminal else {
            throw GranaryError(.unconfirmed, "\(question) There is no terminal to ask on: pass --yes to do it.")
        }
        let answer = Interruption.shared.endingAtOnce {
            Notes.write("\(question.inOneLine) [y/N] ")
            return readLine()
        }
        guard let answer, ["y", "yes"].contains(answer.lowercased()) else {
            throw GranaryError(.unconfirmed, "The answer was not yes. Nothing was done.")
        }
    }
}

extension GranaryError.Code {
    /// A destructive verb was not confirmed.
    static let unconfirmed = GranaryError.Code(rawValue: "unconfirmed")
    /// The arguments make no sense.
    static let usage = GranaryError.Code(rawValue: "usage")
    /// An error that is none of the library's.
    static let failed = GranaryError.Code(rawValue: "failed")
}
