package import GranaryCore

// Every sample is kept twice, in an entity without indexes and in one with an index over each attribute. A question is put
// to both, as a fetch, a count, an existence check and a first: the answers must agree with each other, and then with
// what the case expects.

extension SuiteSchema {
    package static let twins = Schema(Sample.self, IndexedSample.self)
}

extension Trial {
    /// Opens a store of samples with and without indexes and puts these in both.
    package func insertTwins(_ samples: [Sample]) throws {
        try open(SuiteSchema.twins)
        try write {
            try $0.insert(samples)
            try $0.insert(samples.map(IndexedSample.init))
        }
    }
}

extension Query<Sample> {
    /// The same question to the samples with indexes.
    package var indexed: Query<IndexedSample> {
        var query = IndexedSample.all
        if let condition = untyped.condition { query = query.where(condition) }
        query = query.sorted(by: untyped.order).offset(untyped.offset)
        return untyped.limit.map(query.limit) ?? query
    }
}

extension ReadContext {
    /// The keys a query gives, with and without an index; fails if they differ, or if `count`, `exists` and `first` do.
    package func twinKeys(_ query: Query<Sample>, file: String = #fileID, line: Int = #line) throws -> [Int64] {
        let plain = try fetch(query).map(\.id)
        let indexed = try fetch(query.indexed).map(\.id)
        let text = query.untyped.condition.map { "\($0)".prefix(300) } ?? "all"
        if plain != indexed {
            throw ConformanceFailure(
                message: "\(text): \(short(plain)) without an index, \(short(indexed)) with one", file: file,
                line: line)
        }
        let counts = [try count(query), try count(query.indexed)]
        try expectEqual(counts, [plain.count, plain.count], "count of \(text)", file: file, line: line)
        let exist = [try query.exists(in: self), try query.indexed.exists(in: self)]
        try expectEqual(exist, [!plain.isEmpty, !plain.isEmpty], "exists of \(text)", file: file, line: line)
        let firsts = [try first(query)?.id, try first(query.indexed)?.id]
        try expectEqual(firsts, [plain.first, plain.first], "first of \(text)", file: file, line: line)
        return plain
    }

    /// Fails unless a query gives these keys, with and without an index.
    package func expectTwins(
        _ query: Query<Sample>, _ expected: [Int64], _ what: String = "", file: String = #fileID, line: Int = #line
    ) throws {
        let text = query.untyped.condition.map { "\($0)".prefix(300) } ?? "all"
        let keys = try twinKeys(query, file: file, line: line)
        try expectEqual(keys, expected, what.isEmpty ? String(text) : "\(what), \(text)", file: file, line: line)
    }
}

private func short(_ keys: [Int64]) -> String {
    keys.count <= 20 ? "\(keys)" : "\(keys.prefix(20))... (\(keys.count))"
}

/// Random numbers that a seed repeats (SplitMix64).
package struct CaseRandom: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
