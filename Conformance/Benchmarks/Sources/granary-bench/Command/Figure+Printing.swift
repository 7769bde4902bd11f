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

    var jsonLine: String {
        var fields = [
            #""workload":"\#(workload.rawValue)""#, #""subject":"\#(subject.rawValue)""#, #""rows":\#(rows)"#,
            #""median_ms":\#(decimal(milliseconds))"#, #""ratio_to_raw":\#(decimal(ratio))"#,
        ]
        if let peak {
            fields.append(#""peak_mb":\#(decimal(peak.resident))"#)
            fields.append(#""peak_own_mb":\#(decimal(peak.own))"#)
        }
        return "{" + fields.joined(separator: ",") + "}"
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
