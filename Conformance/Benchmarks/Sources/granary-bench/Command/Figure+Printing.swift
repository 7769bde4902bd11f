import Foundation

extension Figure {
    static var tableHead: String {
        columns("workload", "subject", "rows", "median ms", "to raw", "peak MB", "own MB")
    }

    var tableLine: String {
        Figure.columns(
            workload.rawValue, subject.rawValue, "\(rows)", decimal(milliseconds), decimal(ratio),
            peak.map { decimal($0.resident) } ?? "", peak.map { decimal($0.own) } ?? "")
    }

    var lines: [FigureLine] {
        let (what, subject) = (workload.rawValue, subject.rawValue)
        let time = FigureLine(what, subject, median: median).compared(ratio, to: SubjectName.rawSQLite.rawValue)
        guard let peak else { return [time] }
        return [
            time, FigureLine(what, subject, measure: "resident at most", value: peak.resident, unit: "MB"),
            FigureLine(what, subject, measure: "own memory at most", value: peak.own, unit: "MB"),
        ]
    }

    private var milliseconds: Double { median / .milliseconds(1) }

    private func decimal(_ value: Double) -> String { String(format: "%.2f", value) }

    private static func columns(_ names: String...) -> String {
        let widths = [-12, -15, 9, 11, 8, 9, 8]
        return zip(names, widths).map { name, width in
            let padding = String(repeating: " ", count: max(0, abs(width) - name.count))
            return width < 0 ? name + padding : padding + name
        }.joined(separator: " ")
    }
}
