import ArgumentParser
import GranaryPlatform

/// What a verb that destroys asks for.
struct Confirmation: ParsableArguments {
    @Flag(name: [.customShort("y"), .long], help: "Do it without asking. Needed where there is no terminal.")
    var yes = false

    /// Asks on the terminal, unless `--yes` was given.
    ///
    /// - Throws: ``ToolExit/unconfirmed`` if the answer is not yes, or there is no terminal to ask on.
    func ask(_ question: String) throws {
        if yes { return }
        guard isatty(STDIN_FILENO) == 1, Notes.isTerminal else {
            Notes.line("error: \(question) There is no terminal to ask on: pass --yes to do it.")
            throw ToolExit.unconfirmed
        }
        Notes.write("\(question) [y/N] ")
        guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
            Notes.line("Nothing was done.")
            throw ToolExit.unconfirmed
        }
    }
}
