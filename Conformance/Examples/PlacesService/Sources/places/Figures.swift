/// What a run has measured.
struct Figures: Sendable {
    var reads: [Duration] = []
    var writes: [Duration] = []
    /// How often each status was the answer that was not expected.
    var errors: [Int: Int] = [:]
    /// The name and the version of each place whose write was acknowledged.
    var written: [Int64: Written] = [:]
    var elapsed = Duration.zero

    struct Written: Sendable, Hashable {
        var name: String
        var version: Int
    }

    mutating func add(_ other: Figures) {
        reads += other.reads
        writes += other.writes
        errors.merge(other.errors, uniquingKeysWith: +)
        written.merge(other.written) { _, new in new }
    }

    static let header = "store    requests/s  reads/s  p50 ms  p99 ms  writes/s  p50 ms  p99 ms  errors"

    func line(_ store: String) -> String {
        let seconds = elapsed / .seconds(1)
        func rate(_ count: Int) -> String { "\(Int((Double(count) / seconds).rounded()))" }
        let texts = [
            rate(reads.count + writes.count), rate(reads.count), Self.milliseconds(reads, 0.5),
            Self.milliseconds(reads, 0.99), rate(writes.count), Self.milliseconds(writes, 0.5),
            Self.milliseconds(writes, 0.99), "\(errors.values.reduce(0, +))",
        ]
        let widths = [10, 7, 6, 6, 8, 6, 6, 6]
        let columns = zip(texts, widths).map { text, width in
            String(repeating: " ", count: max(0, width - text.count)) + text
        }
        let name = store + String(repeating: " ", count: max(0, 7 - store.count))
        return ([name] + columns).joined(separator: "  ")
            + (errors.isEmpty ? "" : "  \(errors.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })")
    }

    /// The time in which a share of the requests was answered.
    private static func milliseconds(_ times: [Duration], _ share: Double) -> String {
        guard !times.isEmpty else { return "-" }
        let place = min(times.count - 1, Int(Double(times.count) * share))
        let milliseconds = times.sorted()[place] / .milliseconds(1)
        return "\((milliseconds * 100).rounded() / 100)"
    }
}
