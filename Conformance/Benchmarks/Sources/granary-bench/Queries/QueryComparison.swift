/// Asks the subjects in turn, each round in another order, and compares every answer with that of the C twin.
struct QueryComparison {
    var workloads: [QueryWorkload]
    var subjects: [CatalogueSubjectName]
    var rows: Int
    var rounds: Int
    /// About how many rows `count` counts.
    var counted: Int
    var folder: String

    /// Medians of the time of one question.
    ///
    /// - Throws: If an answer is not that of `raw-sqlite`.
    func medians(_ report: (QueryWorkload, [CatalogueSubjectName: Duration]) throws -> Void) throws {
        let names: [CatalogueSubjectName] = [.rawSQLite] + subjects.filter { $0 != .rawSQLite }
        let benches = names.map { CatalogueBench($0, rows: rows, folder: folder) }
        for workload in workloads {
            var times: [CatalogueSubjectName: [Duration]] = [:]
            var expected: [AnswerDigest]?
            // The first round warms up, settles what the answers are and is not counted.
            for round in 0...rounds {
                for place in benches.indices {
                    let bench = benches[(place + round) % benches.count]
                    let (time, digests) = try bench.run(workload, count: counted)
                    let wanted = expected ?? digests
                    expected = wanted
                    guard digests == wanted else {
                        throw BenchmarkError(
                            "\(bench.name.rawValue) gave a wrong answer in \(workload.rawValue): "
                                + "\(digests.first.map { "\($0)" } ?? ""), not \(wanted.first.map { "\($0)" } ?? "").")
                    }
                    if round > 0 { times[bench.name, default: []].append(time) }
                }
            }
            try report(workload, times.mapValues { Comparison.median($0) })
        }
        for bench in benches { try bench.close() }
    }
}
