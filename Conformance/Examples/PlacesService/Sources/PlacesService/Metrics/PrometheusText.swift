/// Writes metrics in the text format of Prometheus, version 0.0.4:
/// https://prometheus.io/docs/instrumenting/exposition_formats/
enum PrometheusText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    static func write(_ registry: MetricsRegistry) -> String {
        let cells = registry.all
        var lines: [String] = []
        add("counter", "_total", cells.counters, to: &lines) { name, labels, cell in
            ["\(name)\(braces(labels)) \(cell.value)"]
        }
        add("gauge", "", cells.gauges, to: &lines) { name, labels, cell in
            ["\(name)\(braces(labels)) \(cell.value)"]
        }
        add("histogram", "_seconds", cells.times, to: &lines, histogram)
        add("histogram", "", cells.sizes, to: &lines, histogram)
        return lines.joined(separator: "\n") + "\n"
    }

    /// Adds the metrics of a kind: for each name a line with the kind, and then its series.
    private static func add<Cell>(
        _ kind: String, _ ending: String, _ cells: [MetricsRegistry.Series: Cell], to lines: inout [String],
        _ write: (_ name: String, _ labels: [String], _ cell: Cell) -> [String]
    ) {
        let names = Dictionary(grouping: cells) { word($0.key.label) + ending }
        for (name, series) in names.sorted(by: { $0.key < $1.key }) {
            lines.append("# TYPE \(name) \(kind)")
            let written = series.map { series, cell in (labels(series), cell) }
            for (labels, cell) in written.sorted(by: { $0.0.lexicographicallyPrecedes($1.0) }) {
                lines += write(name, labels, cell)
            }
        }
    }

    /// The buckets of a histogram count all values up to their bound.
    private static func histogram(_ name: String, _ labels: [String], _ cell: Distribution) -> [String] {
        let state = cell.state
        var lines: [String] = []
        var count = 0
        for (bound, more) in zip(cell.bounds.map { "\($0)" } + ["+Inf"], state.counts) {
            count += more
            lines.append("\(name)_bucket\(braces(labels + ["le=\"\(bound)\""])) \(count)")
        }
        lines.append("\(name)_sum\(braces(labels)) \(state.sum)")
        lines.append("\(name)_count\(braces(labels)) \(count)")
        return lines
    }

    private static func labels(_ series: MetricsRegistry.Series) -> [String] {
        zip(series.names, series.values).map { name, value in
            let text = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            return "\(word(name))=\"\(text)\""
        }
    }

    private static func braces(_ labels: [String]) -> String {
        labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
    }

    /// A name with the characters that Prometheus allows.
    private static func word(_ name: String) -> String {
        String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }
}
