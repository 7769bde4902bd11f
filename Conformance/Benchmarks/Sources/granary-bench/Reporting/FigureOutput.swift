import ArgumentParser
import Foundation

/// The one option that says how figures are printed, and the printing: a table for people, or lines for programs.
struct FigureOutput: ParsableArguments {
    @Flag(help: "A line of JSON about the run, and then one for each figure. `report` makes a page of them.")
    var json = false

    /// Prints what comes before all figures: the head of a table, or the line about the run.
    func begin(_ command: any ParsableCommand.Type, folder: String, head: String = "") throws {
        if json {
            let configuration = command.configuration
            let name = configuration.commandName ?? "\(command)"
            print(try LineCoding.encode(RunLine(name, about: configuration.abstract, folder: folder)))
        } else if !head.isEmpty {
            print(head)
        }
        fflush(nil)
    }

    /// Prints a line of a table, or the figures that are in it.
    func show(_ row: String, _ figures: [FigureLine]) throws {
        if json {
            for figure in figures { print(try figure.encoded()) }
        } else {
            print(row)
        }
        // A long run shows how far it is, also through a pipe.
        fflush(nil)
    }
}
