import GranaryCore

/// The same store twice: followed by one loop, and by a hundred.
final class ObserverBench {
    private let one: ObservedStore
    private let many: ObservedStore

    init(_ name: ContextSubjectName, folder: String, _ query: (Catalogue, Int) -> Query<Song>) throws {
        one = try ObservedStore(name, observers: 1, folder: folder + "/one", query)
        many = try ObservedStore(name, observers: 100, folder: folder + "/many", query)
    }

    /// Medians of commits in turn, with one loop and with all.
    func run(_ figure: (ObservedStore) throws -> Duration) throws -> ContextBench.Times {
        var times: ([Duration], [Duration]) = ([], [])
        for _ in 0..<50 {
            times.0.append(try figure(one))
            times.1.append(try figure(many))
        }
        return (Comparison.median(times.0), Comparison.median(times.1))
    }

    func close() throws {
        try one.close()
        try many.close()
    }
}
