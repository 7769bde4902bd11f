import Foundation
import GranaryStoreKit

extension ConformanceReport {
    /// A table an area and a store, then every failure and every skip, then one line a store.
    public func summary() -> String {
        var lines: [String] = []
        let width = max(4, areas.map(\.rawValue.count).max() ?? 0)
        for store in stores {
            if !lines.isEmpty { lines.append("") }
            lines.append(store)
            for area in areas {
                lines.append("  \(padded(area.rawValue, width))  \(Self.words(tally(store: store, area: area)))")
            }
        }
        let failures = entries.compactMap { entry -> String? in
            guard case .failed(let message) = entry.outcome.result else { return nil }
            let outcome = entry.outcome
            return "  \(entry.store): \(outcome.id) [\(outcome.mode.rawValue)] \(outcome.summary)\n    \(message)"
        }
        if !failures.isEmpty { lines += ["", "Failed"] + failures }
        let skips = skips()
        if !skips.isEmpty { lines += ["", "Skipped"] + skips }
        lines.append("")
        for store in stores { lines.append("\(store): \(Self.words(tally(store: store)))") }
        return lines.joined(separator: "\n")
    }

    /// What was skipped, one line a store and reason.
    private func skips() -> [String] {
        var counts: [[String]: Int] = [:]
        var order: [[String]] = []
        for entry in entries {
            guard case .skipped(let reason) = entry.outcome.result else { continue }
            let key = [entry.store, reason]
            if counts[key] == nil { order.append(key) }
            counts[key, default: 0] += 1
        }
        return order.map { "  \($0[0]): \(counts[$0] ?? 0), \($0[1])" }
    }

    /// Which store passes each area, a row an area: `yes`, `no` or `-` where everything was skipped.
    public func matrix() -> String {
        let width = max(4, areas.map(\.rawValue.count).max() ?? 0)
        let columns = stores.map { max(4, $0.count) }
        var lines = [
            padded("area", width) + zip(stores, columns).map { "  " + padded($0, $1) }.joined()
        ]
        for area in areas {
            let cells = zip(stores, columns).map { store, column in
                let tally = tally(store: store, area: area)
                return "  " + padded(tally.failed > 0 ? "no" : tally.passed > 0 ? "yes" : "-", column)
            }
            lines.append(padded(area.rawValue, width) + cells.joined())
        }
        return lines.map(trimmed).joined(separator: "\n")
    }

    /// What each subject says that it can do, a row a capability.
    public static func capabilityMatrix(_ subjects: [ConformanceSubject]) -> String {
        let capabilities = Set(subjects.flatMap(\.capabilities)).map(\.rawValue).sorted()
        let width = max(10, capabilities.map(\.count).max() ?? 0)
        let columns = subjects.map { max(3, $0.name.count) }
        var lines = [
            padded("capability", width) + zip(subjects, columns).map { "  " + padded($0.name, $1) }.joined()
        ]
        for capability in capabilities {
            let cells = zip(subjects, columns).map { subject, column in
                "  " + padded(subject.capabilities.contains { $0.rawValue == capability } ? "yes" : "no", column)
            }
            lines.append(padded(capability, width) + cells.joined())
        }
        return lines.map(trimmed).joined(separator: "\n")
    }

    private static func words(_ tally: Tally) -> String {
        var text = "\(tally.passed) passed, \(tally.failed) failed, \(tally.skipped) skipped"
        text += String(format: " in %.2f s", tally.seconds)
        return text
    }
}

private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}

private func trimmed(_ line: String) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return line
}
