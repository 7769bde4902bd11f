import GranaryCore
import GranaryPlatform

/// What the tool says besides its results: on standard error.
enum Notes {
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    static func line(_ text: String) { write(text + "\n") }

    /// A note that cannot be written is left out: there is no other place for it.
    static func write(_ text: String) {
        _ = try? StandardStream.write(Array(text.utf8), to: STDERR_FILENO)
    }

    static func report(_ error: GranaryError, asJSON: Bool) {
        guard asJSON else { return line("error: \(error)") }
        var members: [(String, JSONText)] = [("code", .string("\(error.code)")), ("message", .string(error.message))]
        if let entity = error.entity { members.append(("entity", .string(entity))) }
        if !error.attributes.isEmpty { members.append(("attributes", .array(error.attributes.map { .string($0) }))) }
        line(JSONText.object([("error", .object(members))]).compact)
    }
}

/// How far long work has come: one line that is written again and again, on a terminal only.
final class ProgressLine {
    private let what: String
    private var count = 0
    private var shown = ContinuousClock.now
    private var isShown = false

    init(_ what: String) { self.what = what }

    func step() {
        count += 1
        guard count.isMultiple(of: 256), Notes.isTerminal, ContinuousClock.now - shown > .milliseconds(100) else {
            return
        }
        shown = .now
        isShown = true
        Notes.write("\r\(what): \(count)\u{1B}[K")
    }

    func end() {
        if isShown { Notes.write("\r\u{1B}[K") }
        isShown = false
    }
}
