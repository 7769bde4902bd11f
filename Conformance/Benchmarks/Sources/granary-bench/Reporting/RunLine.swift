import Foundation

/// What the figures after it come from: the first line that a command prints with `--json`.
struct RunLine: Codable {
    var run: Run

    struct Run: Codable {
        /// The name of the command, such as `threads`.
        var name: String
        /// What it measures, in a sentence.
        var about: String
        /// What to type in the package's folder to repeat it.
        var command: String
        /// The day and time of the start, in UTC.
        var date: String
        var machine: Machine
    }

    init(_ name: String, about: String, folder: String) {
        let words = ["swift", "run", "-c", "release", "granary-bench"] + CommandLine.arguments.dropFirst()
        run = Run(
            name: name, about: about, command: words.map(RunLine.quoted).joined(separator: " "),
            date: Date.now.formatted(.iso8601), machine: .current(folder: folder))
    }

    /// A word as a shell reads it.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_./:=,+".utf8.contains(byte)
            }
        }
        if isPlain && !word.isEmpty { return word }
        return "'" + word.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
    }
}
