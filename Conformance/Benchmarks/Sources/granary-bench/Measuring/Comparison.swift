import Foundation

/// A measured figure.
struct Figure {
    var workload: Workload
    var subject: SubjectName
    var rows: Int
    var median: Duration
    /// The median against that of `raw-sqlite`, whatever the subject is.
    var ratio: Double
    var peak: PeakMemory?
}

/// Runs the subjects in turn, each round in another order, so that what disturbs the machine disturbs all of them.
struct Comparison {
    var workloads: [Workload]
    var subjects: [SubjectName]
    var rows: Int
    var rounds: Int
    var folder: String

    /// - Throws: If a subject gives anything but what it must.
    func figures(_ report: (Figure) throws -> Void) throws {
        let keys = TrackGenerator().shuffledKeys(rows)
        let expectation = Expectation(rows: rows, keys: keys)
        // The yardstick runs with any choice of subjects.
        let names = subjects.contains(.rawSQLite) ? subjects : [.rawSQLite] + subjects
        let benches = names.map { ($0, $0.makeBench(rows: rows, folder: folder)) }
        if workloads != [.insert] {
            for (_, bench) in benches { try bench.fill() }
        }
        var medians: [(Workload, [SubjectName: Duration])] = []
        for workload in workloads {
            var times: [SubjectName: [Duration]] = [:]
            // The first round warms up and is not counted.
            for round in 0...rounds {
                for place in benches.indices {
                    let (name, bench) = benches[(place + round) % benches.count]
                    let (time, outcome) = try bench.run(workload, keys: keys)
                    try expect(outcome, expectation.outcome(of: workload), name, workload)
                    if workload == .stream && round == 0 {
                        try expect(
                            .rows([try bench.streamedDigest()]), .rows([expectation.all]), name, workload)
                    }
                    if round > 0 { times[name, default: []].append(time) }
                }
            }
            medians.append((workload, times.mapValues { Comparison.median($0) }))
        }
        for (_, bench) in benches { try bench.close() }
        for (workload, byName) in medians {
            for name in subjects {
                guard let median = byName[name], let raw = byName[.rawSQLite] else { continue }
                let peak =
                    workload == .stream ? try PeakMemory.ofStreaming(name, rows: rows, folder: folder) : nil
                try report(
                    Figure(
                        workload: workload, subject: name, rows: rows, median: median, ratio: median / raw, peak: peak))
            }
        }
    }

    private func expect(_ got: Outcome, _ wanted: Outcome, _ name: SubjectName, _ workload: Workload) throws {
        guard got != wanted else { return }
        throw BenchmarkError("\(name.rawValue) gave a wrong result in \(workload.rawValue): \(got), not \(wanted).")
    }

    static func median(_ times: [Duration]) -> Duration {
        let sorted = times.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
