import ArgumentParser
import Foundation

/// Makes a page of figures that other commands have printed.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Makes a page of HTML, with plots beside it, of figures that were printed with --json.",
        discussion: """
            A file may have the figures of several commands, one after the other. The page has no script and loads \
            nothing but its plots. Exit codes: 64 a file cannot be read, or the page cannot be written; 65 a file has \
            a line that is not a figure, or no figures.
            """)

    @Argument(help: "Files of figures.")
    var files: [String]
    @Option(help: "The folder of the page, which is made if it does not exist.")
    var output = "report"

    func run() throws {
        var runs: [ReportedRun] = []
        for file in files {
            guard FileManager.default.isReadableFile(atPath: file) else {
                throw failure("\(file): This file does not exist, or cannot be read.", .validationFailure)
            }
            do {
                runs += try FigureFile.runs(in: file)
            } catch let error as FigureFileError {
                throw failure(error.description, ExitCode(65))
            }
        }
        do {
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
            for (name, content) in ReportPage(runs).files {
                try Data(content.utf8).write(to: URL(fileURLWithPath: "\(output)/\(name)"))
            }
        } catch {
            throw failure("\(output): The page cannot be written. \(error.localizedDescription)", .validationFailure)
        }
        print("\(output)/index.html")
    }

    private func failure(_ message: String, _ code: ExitCode) -> ExitCode {
        FileHandle.standardError.write(Data("Error: \(message)\n".utf8))
        return code
    }
}
