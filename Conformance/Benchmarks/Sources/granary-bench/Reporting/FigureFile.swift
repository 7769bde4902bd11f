import Foundation

/// A run and its figures, as a report shows them.
struct ReportedRun {
    var run: RunLine.Run
    var figures: [FigureLine] = []
    /// The file and the line of the run, for messages.
    var place: String
}

/// A file that a report cannot be made of. The text names the file and the line.
struct FigureFileError: Error, CustomStringConvertible {
    var description: String
}

/// Reads lines that commands have printed with `--json`.
enum FigureFile {
    /// - Throws: ``FigureFileError`` for anything but one or more runs, each with its figures after it.
    static func runs(in path: String) throws -> [ReportedRun] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw FigureFileError(description: "\(path): This file cannot be read.")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw FigureFileError(description: "\(path): This file is not text in UTF-8.")
        }
        var runs: [ReportedRun] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let place = "\(path):\(index + 1)"
            if line.allSatisfy(\.isWhitespace) { continue }
            switch try ReportLine.read(line, place) {
            case .run(let run): runs.append(ReportedRun(run: run, place: place))
            case .figure(let figure):
                guard !runs.isEmpty else {
                    throw FigureFileError(
                        description: "\(place): The line about the run is missing before this figure.")
                }
                runs[runs.count - 1].figures.append(figure)
            }
        }
        guard !runs.isEmpty else {
            throw FigureFileError(
                description: "\(path):1: This file has no figures. Write it with the option --json of a command.")
        }
        if let cut = runs.first(where: { $0.figures.isEmpty }) {
            throw FigureFileError(
                description: "\(cut.place): The run of \(cut.run.name) has no figures. Did it fail?")
        }
        return runs
    }
}

/// One line of a file of figures.
private enum ReportLine {
    case run(RunLine.Run)
    case figure(FigureLine)

    static func read(_ line: Substring, _ place: String) throws -> ReportLine {
        let data = Data(line.utf8)
        do {
            if try JSONDecoder().decode(Head.self, from: data).run {
                return .run(try JSONDecoder().decode(RunLine.self, from: data).run)
            }
            let figure = try JSONDecoder().decode(FigureLine.self, from: data)
            guard figure.value.isFinite, figure.value >= 0 else {
                throw FigureFileError(description: "\(place): The value is not a number from 0 on.")
            }
            return .figure(figure)
        } catch let error as DecodingError {
            throw FigureFileError(description: "\(place): \(message(error))")
        }
    }

    /// Whether a line is about a run.
    private struct Head: Decodable {
        var run: Bool

        private enum CodingKeys: CodingKey { case run }

        init(from decoder: any Decoder) throws {
            run = try decoder.container(keyedBy: CodingKeys.self).contains(.run)
        }
    }

    private static func message(_ error: DecodingError) -> String {
        func name(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }
        switch error {
        case .keyNotFound(let key, let context): return "The field \(name(context.codingPath + [key])) is missing."
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            let field = name(context.codingPath)
            return field.isEmpty ? "This is not an object of JSON." : "The field \(field) has a value of a wrong kind."
        case .dataCorrupted: return "This is not a line of JSON."
        @unknown default: return "This line cannot be read."
        }
    }
}
