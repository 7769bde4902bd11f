import GranaryCore
import GranaryImport
import GranaryPlatform
import Synchronization

/// What the tool says besides its results: on standard error.
enum Notes {
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes a line, or lines, in which nothing is obeyed by a terminal.
    static func line(_ text: String) { write(text.inLines + "\n") }

    /// Writes text as it is. A note that cannot be written is left out: there is no other place for it.
    static func write(_ text: String) {
        _ = try? StandardStream.write(Array(text.utf8), to: STDERR_FILENO)
    }

    static func report(_ error: GranaryError, asJSON: Bool) {
        var members: [(String, JSONText)] = [("code", .string("\(error.code)")), ("message", .string(error.message))]
        if let entity = error.entity { members.append(("entity", .string(entity))) }
        if !error.attributes.isEmpty { members.append(("attributes", .array(error.attributes.map { .string($0) }))) }
        // In JSON a given key is as it was given.
        let key = (error.knownKey as? GivenKey)?.text ?? error.knownKey?.textOfError
        if let key { members.append(("key", .string(key))) }
        if let duplicates = error.duplicates {
            let groups = duplicates.keys.map { group in JSONText.array(group.map { .text($0.textOfError) }) }
            members.append(("duplicates", .array(groups)))
        }
        if let planned = error.plannedMigration { members.append(("plan", planned.json)) }
        let json = JSONText.object([("error", .object(members))])
        line(asJSON ? (try? json.compact) ?? "\(error)" : "error: \(error)")
        guard !asJSON, let groups = error.duplicates?.keys else { return }
        for group in groups {
            line("The same values: \(group.map { $0.textOfError ?? "a key" }.joined(separator: ", "))".inOneLine)
        }
    }
}

/// How far long work has come: one line that is written again and again, on a terminal only.
final class ProgressLine: Sendable {
    private struct State {
        var count = 0
        var shown = Stopwatch()
        var isShown = false
        var isEnded = false
    }

    private let state = Mutex(State())
    private let isTerminal = Notes.isTerminal

    /// Shows how far a verb of the library has come: what is passed as `onProgress:`.
    var show: @Sendable (StoreProgress) -> Void {
        { [self] progress in
            let share = "\(ProgressLine.bar(progress.fraction)), \(progress.records) of \(progress.total)"
            // Work that copies files as they are does not know entities.
            write { _ in progress.entity.isEmpty ? share : "\(progress.entity): \(share)" }
        }
    }

    /// Shows how far an import of an entity has come: with the share of its files that is read, where their size is known.
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

    /// Shows how many records of an entity an import or export has come to.
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

    /// Removes the line. Nothing is shown afterwards.
    func end() {
        state.withLock { state in
            if state.isShown { Notes.write("\r\u{1B}[K") }
            state.isShown = false
            state.isEnded = true
        }
    }
}
