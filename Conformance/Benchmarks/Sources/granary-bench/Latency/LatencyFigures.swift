import Foundation

/// The percentiles of one subject, alone or beside a writer.
struct LatencyFigures {
    /// How many times the 99th percentile without a writer that beside one may be.
    static let limit = 2.0

    private let subject: String
    private let what: String
    private let percentiles: Percentiles
    /// Finds and commits a second.
    private let rates: (finds: Double, commits: Double)

    /// - Parameter outcomes: The rounds. Their finds count together.
    init(_ subject: String, _ what: String, _ outcomes: [LatencyOutcome]) {
        (self.subject, self.what) = (subject, what)
        percentiles = Percentiles(outcomes.map(\.latencies))
        let seconds = outcomes.reduce(0) { $0 + $1.time / .seconds(1) }
        rates = (
            Double(outcomes.reduce(0) { $0 + $1.latencies.count }) / seconds,
            Double(outcomes.reduce(0) { $0 + $1.commits }) / seconds
        )
    }

    static let head = line(
        ["subject", "", "finds/s"] + Percentiles.all.map { "\(name(of: $0)) us" } + ["commits/s", "p99 to alone"])

    /// - Parameter alone: What it is compared with; nil if it is without a writer itself.
    func row(_ alone: LatencyFigures?) -> String {
        var fields = [subject, what, String(format: "%.0f", rates.finds)]
        fields += Percentiles.all.map { String(format: "%.1f", percentiles.microseconds($0)) }
        if let alone {
            let ratio = p99 / alone.p99
            fields.append(String(format: "%.0f", rates.commits))
            fields.append(String(format: "%.2f", ratio) + (ratio <= Self.limit ? " met" : " missed"))
        }
        return Self.line(fields)
    }

    var lines: [FigureLine] {
        Percentiles.all.map { percentile in
            FigureLine(
                what, subject, measure: "latency", value: percentiles.microseconds(percentile), unit: "us"
            ).at(percentile, "percentile")
        }
    }

    /// The 99th percentile beside a writer, against that without one.
    func comparison(with alone: LatencyFigures) -> FigureLine {
        FigureLine("99th percentile \(what)", subject, measure: "latency", value: p99, unit: "us")
            .compared(p99 / alone.p99, to: "alone").expected(atMost: Self.limit)
    }

    private var p99: Double { percentiles.microseconds(99) }

    private static func name(of percentile: Double) -> String { percentile == 100 ? "max" : "p\(percentile.inWords)" }

    private static func line(_ fields: [String]) -> String {
        zip(fields, [-25, -16, 9, 10, 10, 10, 10, 10, 11, 16]).map { field, width in
            let padding = String(repeating: " ", count: max(0, abs(width) - field.count))
            return width < 0 ? field + padding : padding + field
        }.joined()
    }
}
