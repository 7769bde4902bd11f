import Foundation
import Rainbow

/// The answers and times of the demo, store by store, and the table made of them.
struct DemoReport {
    let stores: [String]
    let questions: [String]
    private var loads: [Double] = []
    private var answers: [[(text: String, seconds: Double)]] = []

    init(stores: [String], questions: [String]) {
        self.stores = stores
        self.questions = questions
    }

    /// Begins the next store with the time it took to load.
    mutating func add(load seconds: Double) {
        loads.append(seconds)
        answers.append([])
    }

    /// Adds the next answer of the store begun last.
    mutating func add(answer: String, seconds: Double) { answers[answers.count - 1].append((answer, seconds)) }

    /// Whether every store gave the same answer to every question, byte for byte.
    var storesAgree: Bool { questions.indices.allSatisfy(agree) }

    private func agree(on question: Int) -> Bool {
        guard let first = answers.first?[question].text else { return true }
        return answers.allSatisfy { $0[question].text.utf8.elementsEqual(first.utf8) }
    }

    /// The table: a line a question, a column of times a store.
    func text(records: Int) -> String {
        let width = (questions.map(\.count).max() ?? 0) + 2
        var lines: [String] = []
        lines.append(pad("", width) + stores.map { pad($0, 12, right: true).bold }.joined())
        lines.append(
            pad("load \(records) records, one transaction", width)
                + loads.map { pad(time($0), 12, right: true) }.joined())
        for (index, question) in questions.enumerated() {
            lines.append(
                pad(question, width) + answers.map { pad(time($0[index].seconds), 12, right: true) }.joined())
            if agree(on: index) {
                lines.append("  " + (answers.first?[index].text ?? "").cyan)
            } else {
                for (store, answer) in zip(stores, answers) { lines.append("  \(store): \(answer[index].text)".red) }
            }
        }
        lines.append("")
        if !storesAgree {
            lines.append("The stores do not agree.".red.bold)
        } else if stores.count > 1 {
            lines.append("All \(stores.count) stores gave the same \(questions.count) answers.".green)
        }
        return lines.joined(separator: "\n")
    }

    private func time(_ seconds: Double) -> String {
        seconds < 0.001 ? String(format: "%.0f us", seconds * 1e6) : String(format: "%.1f ms", seconds * 1e3)
    }

    private func pad(_ text: String, _ width: Int, right: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return right ? space + text : text + space
    }
}
