import Foundation

/// What `import` has measured.
struct ImportFigures {
    let subjects: [ImportSubjectName]
    let workloads: [ImportWorkload]
    private var times: [ImportSubjectName: [ImportWorkload: [Duration]]] = [:]
    private var reading: [CityReading: [Duration]] = [:]

    init(_ subjects: [ImportSubjectName], _ workloads: [ImportWorkload]) {
        (self.subjects, self.workloads) = (subjects, workloads)
    }

    mutating func add(_ time: Duration, of workload: ImportWorkload, by subject: ImportSubjectName) {
        times[subject, default: [:]][workload, default: []].append(time)
    }

    mutating func add(_ time: Duration, of reading: CityReading) {
        self.reading[reading, default: []].append(time)
    }

    private func median(_ subject: ImportSubjectName, _ workload: ImportWorkload) -> Duration? {
        times[subject]?[workload].map(Comparison.median)
    }

    static let head = "workload  subject              median ms  to raw insert  MB/s"

    /// Prints a line for each subject and workload, and then how they compare with the targets.
    func report(_ files: ImportFiles, _ output: FigureOutput) throws {
        for workload in workloads {
            let raw = median(.rawSQLite, workload == .nested ? .nested : .insert)
            for subject in subjects {
                guard let time = median(subject, workload) else { continue }
                let start =
                    workload.rawValue.padding(toLength: 10, withPad: " ", startingAt: 0)
                    + subject.rawValue.padding(toLength: 20, withPad: " ", startingAt: 0)
                let ratio = raw.map { time / $0 }
                let speed = try megabytes(workload.lines(files) ?? files.csv) / (time / .seconds(1))
                var line = FigureLine(workload.rawValue, subject.rawValue, median: time)
                    .compared(ratio, to: "inserting by raw-sqlite")
                if workload == .insert, let limit = subject.limit { line = line.expected(atMost: limit) }
                try output.show(
                    start + String(format: "%10.0f", time / .milliseconds(1)) + "  "
                        + (ratio.map { String(format: "%13.2f", $0) } ?? "") + String(format: "%6.0f", speed),
                    [
                        line,
                        FigureLine(
                            workload.rawValue, subject.rawValue, measure: "speed", value: speed, unit: "MB/s"),
                    ])
            }
        }
        try showRatios("again / first (at most 0.6)", output) { subject in
            guard let again = median(subject, .again), let first = median(subject, .insert) else { return nil }
            return FigureLine(
                "again", subject.rawValue, measure: "part of the first", value: again / first, unit: "times"
            ).expected(atMost: 0.6)
        }
        try showRatios("insert, times as fast as grdb-json-decoder (at least 4)", output) { subject in
            guard let other = median(.grdb, .insert), let own = median(subject, .insert) else { return nil }
            return FigureLine(
                "insert", subject.rawValue, measure: "times as fast as grdb-json-decoder", value: other / own,
                unit: "times"
            ).expected(atLeast: 4)
        }
        try reportReading(files, output)
    }

    /// Prints a ratio for each of Granary's stores.
    private func showRatios(
        _ title: String, _ output: FigureOutput, _ ratio: (ImportSubjectName) -> FigureLine?
    ) throws {
        let lines = [.granarySQLite, .granaryLMDB, .granaryMemory].compactMap(ratio)
        if lines.isEmpty { return }
        let ratios = lines.map { $0.subject + String(format: " %.2f", $0.value) }
        try output.show("\(title): \(ratios.joined(separator: ", "))", lines)
    }

    private func reportReading(_ files: ImportFiles, _ output: FigureOutput) throws {
        let medians = reading.mapValues(Comparison.median)
        guard let events = medians[.events], let records = medians[.records], let other = medians[.serialization]
        else { return }
        let size = try megabytes(files.lines)
        func speed(_ time: Duration) -> Double { size / (time / .seconds(1)) }
        func line(_ name: String, _ time: Duration) -> FigureLine {
            FigureLine("reading alone", name, measure: "speed", value: speed(time), unit: "MB/s")
        }
        try output.show(
            String(
                format: "reading alone: events %.0f MB/s (at least 200), into records %.0f MB/s (at least 100)",
                speed(events), speed(records)),
            [line("events", events).expected(atLeast: 200), line("records", records).expected(atLeast: 100)])
        try output.show(
            String(
                format: "reading alone, times as fast as JSONSerialization with %.0f MB/s (at least 5): events %.1f",
                speed(other), other / events),
            [
                line("JSONSerialization", other),
                FigureLine(
                    "reading alone", "events", measure: "times as fast as JSONSerialization", value: other / events,
                    unit: "times"
                ).expected(atLeast: 5),
            ])
    }

    private func megabytes(_ path: String) throws -> Double {
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        return Double(size) / 1e6
    }
}

extension ImportSubjectName {
    /// How many times the yardstick a first import may take.
    fileprivate var limit: Double? {
        switch self {
        case .granarySQLite: 1.8
        case .granaryLMDB: 1.0
        default: nil
        }
    }
}
