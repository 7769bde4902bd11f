import GranaryCore
import GranaryFormats
import GranaryImport
import GranaryPlatform
import Synchronization

/// Messages of the tool other than its results, on standard error.
enum Notes {
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes one or more lines, without control characters that a terminal obeys.
    static func line(_ text: String) { write(text.inLines + "\n") }

    /// Writes text unchanged. A note that cannot be written is dropped: there is no other place for it.
    static func write(_ text: String) {
        _ = try? StandardStream.write(Array(text.utf8), to: STDERR_FILENO)
    }

    /// Remarks of a verb whose errors are JSON. They wait for the end of the verb, because if the verb fails, standard
    /// error must have one JSON object and nothing else.
    private static let waiting = Mutex<[String]?>(nil)

    /// Begins a verb.
    static func begin(asJSON: Bool) { waiting.withLock { $0 = asJSON ? [] : nil } }

    /// Prints a remark, which is no error, as a line.
    static func remark(_ text: String) {
        let waits = waiting.withLock { remarks in
            remarks?.append(text)
            return remarks != nil
        }
        if !waits { line(text.inOneLine) }
    }

    /// Writes the waiting remarks.
    static func end() {
        for text in takeRemarks() { line(text.inOneLine) }
    }

    private static func takeRemarks() -> [String] {
        waiting.withLock { remarks in
            defer { remarks = nil }
            return remarks ?? []
        }
    }

    /// Reports why a verb has failed.
    ///
    /// - Parameter hints: Guesses at what was meant, and advice.
    static func report(_ error: GranaryError, hints: [String] = [], asJSON: Bool) {
        guard asJSON else {
            line("error: \(error.textWithPlace)")
            for group in error.duplicates?.keys ?? [] {
                line("The same values: \(group.map { $0.textOfData ?? "a key" }.joined(separator: ", "))".inOneLine)
            }
            for hint in hints { line(hint.inOneLine) }
            return
        }
        var members = error.members
        if let duplicates = error.duplicates {
            let groups = duplicates.keys.map { group in JSONText.array(group.map { .text($0.textOfData) }) }
            members.append(("duplicates", .array(groups)))
        }
        if let planned = error.plannedMigration { members.append(("plan", planned.json)) }
        let said = takeRemarks() + hints
        if !said.isEmpty { members.append(("hints", .array(said.map { .string($0) }))) }
        let json = JSONText.object([("error", .object(members))])
        line((try? json.compact) ?? "\(error)")
    }
}

extension GranaryError {
    /// The text for the user of the tool, who may see the data. It has the place in the source once.
    var textWithPlace: String {
        let text = descriptionWithData(atPlace: false)
        // An error of reading input already has its place in the message.
        guard position == nil, let path = importPath else { return text.inLines }
        return "\(text) (at \(path)\(importLine.map { ", line \($0)" } ?? ""))".inLines
    }

    /// The members of the error's JSON object. A key and a value are given unchanged.
    var members: [(String, JSONText)] {
        var members: [(String, JSONText)] = [("code", .string("\(code)")), ("message", .string(message))]
        if let entity { members.append(("entity", .string(entity))) }
        if !attributes.isEmpty { members.append(("attributes", .array(attributes.map { .string($0) }))) }
        if let key = (knownKey as? GivenKey)?.text ?? knownKey?.textOfData { members.append(("key", .string(key))) }
        if let value { members.append(("value", .string(value))) }
        if let position { members.append(("file", .string(position.source))) }
        if let importPath { members.append(("path", .string(importPath))) }
        if let importLine { members.append(("line", .count(importLine))) }
        if let position { members.append(("byte", .count(position.offset))) }
        if let importReport { members.append(("committed", .count(importReport.committed))) }
        return members
    }
}

/// The progress of long work: one line that is written again and again, only on a terminal.
final class ProgressLine: Sendable {
    private struct State {
        var count = 0
        var shown = Stopwatch()
        var isShown = false
        var isEnded = false
    }

    private let state = Mutex(State())
    private let isTerminal = Notes.isTerminal

    /// Shows the progress of a verb of the library: pass it as `onProgress:`.
    var show: @Sendable (StoreProgress) -> Void {
        { [self] progress in
            let share = "\(ProgressLine.bar(progress.fraction)), \(progress.records) of \(progress.total)"
            // Work that copies whole files does not know entities.
            write { _ in progress.entity.isEmpty ? share : "\(progress.entity): \(share)" }
        }
    }

    /// Shows the progress of an import of an entity: with the share of its files that has been read, if their sizes are
    /// known.
    func show(_ entity: String, _ report: ImportReport) {
        let count = report.inserted + report.updated + report.unchanged + report.skipped + report.failed
        guard let total = report.totalBytes, total > 0 else { return show(entity, count) }
        let share = ProgressLine.bar(Double(report.bytesRead) / Double(total))
        write { _ in "\(entity): \(share), \(count)" }
    }

    /// `[########            ] 40 %`
    private static func bar(_ fraction: Double) -> String {
        let fraction = min(max(0, fraction), 1)
        let filled = Int(fraction * 20)
        let bar = String(repeating: "#", count: filled) + String(repeating: " ", count: 20 - filled)
        return "[\(bar)] \(Int(fraction * 100)) %"
    }

    /// Shows how many records of an entity an import or export has processed.
    func show(_ entity: String, _ count: Int) { write { _ in "\(entity): \(count)" } }

    /// Counts a record of an entity.
    func step(_ entity: String) {
        let isDue = state.withLock { state in
            state.count += 1
            return state.count.isMultiple(of: 256)
        }
        if isDue { write { "\(entity): \($0.count)" } }
    }

    private func write(_ text: (State) -> String) {
        guard isTerminal else { return }
        state.withLock { state in
            guard !state.isEnded, state.shown.elapsed > .milliseconds(100) else { return }
            state.shown = Stopwatch()
            state.isShown = true
            Notes.write("\r\(text(state).inOneLine)\u{1B}[K")
        }
    }

    /// Removes the line. Afterwards nothing is shown.
    func end() {
        state.withLock { state in
            if state.isShown { Notes.write("\r\u{1B}[K") }
            state.isShown = false
            state.isEnded = true
        }
    }
}
