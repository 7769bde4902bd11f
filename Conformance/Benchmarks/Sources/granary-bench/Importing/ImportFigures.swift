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

    /// Prints a line for each subject and workload, and then how they compare with the targets.
    func report(_ files: ImportFiles) throws {
        print("workload  subject              median ms  to raw insert  MB/s")
        for workload in workloads {
            let raw = median(.rawSQLite, workload == .nested ? .nested : .insert)
            for subject in subjects {
                guard let time = median(subject, workload) else { continue }
                let start =
                    workload.rawValue.padding(toLength: 10, withPad: " ", startingAt: 0)
                    + subject.rawValue.padding(toLength: 20, withPad: " ", startingAt: 0)
                let ratio = raw.map { String(format: "%13.2f", time / $0) } ?? ""
                let speed = try megabytes(workload.lines(files) ?? files.csv) / (time / .seconds(1))
                print(
                    start + String(format: "%10.0f", time / .milliseconds(1)) + "  " + ratio
                        + String(format: "%6.0f", speed))
            }
        }
        printRatios("again / first (at most 0.6)") { subject in
            guard let again = median(subject, .again), let first = median(subject, .insert) else { return nil }
            return again / first
        }
        printRatios("insert, times as fast as grdb-json-decoder (at least 4)") { subject in
            guard let other = median(.grdb, .insert), let own = median(subject, .insert) else { return nil }
            return other / own
        }
        try reportReading(files)
    }

    /// Prints a ratio for each of Granary's stores.
    private func printRatios(_ title: String, _ ratio: (ImportSubjectName) -> Double?) {
        let granary: [ImportSubjectName] = [.granarySQLite, .granaryLMDB, .granaryMemory]
        let ratios = granary.compactMap { subject in
            ratio(subject).map { subject.rawValue + String(format: " %.2f", $0) }
        }
        if !ratios.isEmpty { print("\(title): \(ratios.joined(separator: ", "))") }
    }

    private func reportReading(_ files: ImportFiles) throws {
        let medians = reading.mapValues(Comparison.median)
        guard let events = medians[.events], let records = medians[.records], let other = medians[.serialization]
        else { return }
        let size = try megabytes(files.lines)
        func speed(_ time: Duration) -> Double { size / (time / .seconds(1)) }
        print(
            String(
                format: "reading alone: events %.0f MB/s (at least 200), into records %.0f MB/s (at least 100)",
                speed(events), speed(records)))
        print(
            String(
                format: "reading alone, times as fast as JSONSerialization with %.0f MB/s (at least 5): events %.1f",
                speed(other), other / events))
    }

    private func megabytes(_ path: String) throws -> Double {
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        return Double(size) / 1e6
    }
}
