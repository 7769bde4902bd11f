/// Times each workload and its yardstick in turn, each round in another order, on one store after the other.
struct ContextComparison {
    var workloads: [ContextWorkload]
    var subjects: [ContextSubjectName]
    var rows: Int
    var reviewCount: Int
    var rounds: Int
    var folder: String

    /// Medians of both.
    ///
    /// - Throws: If an answer is wrong.
    func medians(_ report: (ContextWorkload, [ContextSubjectName: ContextBench.Times]) throws -> Void) throws {
        let benches = try subjects.map {
            try ContextBench($0, rows: rows, reviewCount: reviewCount, folder: folder)
        }
        for workload in workloads {
            for bench in benches { try bench.check(workload) }
            var times: [ContextSubjectName: [ContextBench.Times]] = [:]
            // The first round warms up and is not counted.
            for round in 0...rounds {
                for place in benches.indices {
                    let bench = benches[(place + round) % benches.count]
                    let both = try bench.run(workload, yardstickFirst: round % 2 == 0)
                    if round > 0 { times[bench.name, default: []].append(both) }
                }
            }
            try report(
                workload,
                times.mapValues {
                    (Comparison.median($0.map { $0.yardstick }), Comparison.median($0.map { $0.measured }))
                })
        }
        for bench in benches { try bench.close() }
    }
}
