import GranaryCore
import GranaryFormats
import GranaryImport
import GranaryPlatform

// Guesses at what a person meant when an import fails: another delimiter, another format, records at another place in
// the file.

extension ImportVerb {
    func hints(for error: GranaryError) -> [String] {
        var hints: [String] = []
        if let committed = error.importReport?.committed, committed > 0 {
            hints.append("The first \(committed) objects are committed. --start \(committed) goes on after them.")
        }
        if error.code == .invalidInput, error.position != nil {
            if error.message.contains(ImportHints.anotherValue) { hints.append(ImportHints.lines) }
            if error.message.contains(ImportHints.unfinishedLine) { hints.append(ImportHints.document) }
        }
        guard error.code == .required else { return hints }
        if error.importPath == "$" {
            let keyed = "{\"@keyed\": true, \"\(entity)\": {\"map\": {\"ATTRIBUTE\": \"@key\"}}}"
            hints.append(
                "The whole file is one object. If its members are records, give a file with \(keyed) to --map, or with {\"@root\": \"PATH\"} if the records are deeper in it."
            )
        }
        // If the first record has its key, the names are right.
        guard error.importPath?.hasSuffix("$[0]") ?? true else { return hints }
        for (path, header) in recordFiles.headers {
            if let hint = ImportHints.hint(ofHeader: header, path) { hints.append(hint) }
        }
        return hints
    }
}

enum ImportHints {
    /// The messages of the JSON reader for a value after the first value, and for a line that ends too early. A test
    /// looks for these words in its sources.
    static let anotherValue = "where nothing after the value should be"
    static let unfinishedLine = "The line ends within a value."

    static let lines =
        "Another value follows the first one. If each line is a value, say --format jsonl. Otherwise put all values into one array."
    static let document = "If the file is one JSON value over several lines, say --format json."

    /// A hint for a file whose records have no key, from the names of its columns.
    static func hint(ofHeader header: [String], _ path: String) -> String? {
        guard let first = header.first else { return nil }
        let names = header.prefix(20).map { "`\($0.shortened)`" }.joined(separator: ", ")
        if header.count == 1, let other = [";", "\t", "|", ","].first(where: first.contains) {
            let name = other == "\t" ? "$'\\t'" : "'\(other)'"
            return
                "The header of \(path) is one column, \(names). If another character divides the columns, say it: --delimiter \(name)."
        }
        if header.contains(where: { $0.utf8.count > 1 && $0.hasPrefix("\"") && $0.hasSuffix("\"") }) {
            return
                "The columns of \(path) are named \(names). If the quotes surround the fields, say --quote '\"'."
        }
        if header.contains(where: { Double($0) != nil }) {
            return
                "The columns of \(path) are named \(names). If the first line is a record, say --no-header, and name the columns 0, 1 and so on in the file of --map."
        }
        return "The columns of \(path) are \(names)."
    }
}
