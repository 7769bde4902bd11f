/// Keys that were reserved for new records in savepoints. A savepoint that is undone gives them back, so a dry run of
/// an import uses up no keys.
struct ReservedKeys {
    /// Consecutively reserved keys, without a key of another context between them.
    private struct Run {
        let entity: Int
        var keys: ClosedRange<Int64>
    }

    /// The number of keys at a moment.
    struct Mark {
        fileprivate var runs: Int
        fileprivate var last: Int64
    }

    private var runs: [Run] = []

    var mark: Mark { Mark(runs: runs.count, last: runs.last?.keys.upperBound ?? 0) }

    mutating func add(_ key: Int64, of entity: Int) {
        if let last = runs.last, last.entity == entity, last.keys.upperBound == key - 1 {
            runs[runs.count - 1].keys = last.keys.lowerBound...key
        } else {
            runs.append(Run(entity: entity, keys: key...key))
        }
    }

    /// Removes the keys that were reserved after `mark`, and passes them to a closure, the last ones first.
    mutating func takeBack(to mark: Mark, _ giveBack: (ClosedRange<Int64>, Int) -> Void) {
        while runs.count > mark.runs, let run = runs.popLast() { giveBack(run.keys, run.entity) }
        guard let run = runs.last, run.keys.upperBound > mark.last else { return }
        runs[runs.count - 1].keys = run.keys.lowerBound...mark.last
        giveBack(mark.last + 1...run.keys.upperBound, run.entity)
    }
}
