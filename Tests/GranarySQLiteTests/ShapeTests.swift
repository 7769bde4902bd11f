import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

/// Statements that serve every request of one shape.
@Suite struct ShapeTests {
    @Test func `requests of one shape have one text, and their values in its order`() throws {
        var plain = PlainRequests(random: SeededNumbers(seed: TestSeed.of(7)))
        let layouts = Catalog(library, hasChecksums: false).layouts
        let bounds = SQLText.Bounds()
        var known: [UInt64: [FetchRequest]] = [:]
        var pairs = 0
        for _ in 0..<4_000 {
            let request = plain.request()
            let hash = try #require(request.shapeHash)
            let text = SQLText.rows(request, layouts[request.entity], bounds)
            #expect(text.isShape(of: request), "\(request)")
            for other in known[hash, default: []] where other.hasShape(of: request) {
                #expect(SQLText.rows(other, layouts[other.entity], bounds).text == text.text, "\(other)\n\(request)")
                if other != request { pairs += 1 }
            }
            known[hash, default: []].append(request)
        }
        #expect(pairs > 2_000)
        // A number is shared by requests of one shape alone, or nearly: it is a hash.
        #expect(known.values.allSatisfy { requests in requests.allSatisfy { $0.hasShape(of: requests[0]) } })
    }

    @Test func `what differs by more than values is of another shape`() throws {
        let base = FetchRequest(entity: 1, condition: .compare(position: 1, .equal, .string("a")), limit: 3)
        var others: [FetchRequest] = []
        func other(_ change: (inout FetchRequest) -> Void) {
            var request = base
            change(&request)
            others.append(request)
        }
        other { $0.entity = 2 }
        other { $0.limit = nil }
        other { $0.offset = 1 }
        other { $0.condition = nil }
        other { $0.condition = .compare(position: 2, .equal, .string("a")) }
        other { $0.condition = .compare(position: 1, .notEqual, .string("a")) }
        other { $0.condition = .compare(position: 1, .equal, .null) }
        other { $0.condition = .among(position: 1, ["a", "b"]) }
        other { $0.condition = .toOne(position: 10, entity: 1, .compare(position: 1, .equal, "a"), isNegated: false) }
        other { $0.order = [.init(position: 1, isDescending: false)] }
        for (index, request) in others.enumerated() {
            #expect(!base.hasShape(of: request), "\(request)")
            #expect(base.shapeHash != request.shapeHash, "\(request)")
            for another in others[(index + 1)...] { #expect(!another.hasShape(of: request), "\(another)\n\(request)") }
        }
        var same = base
        same.limit = 4
        same.condition = .compare(position: 1, .equal, .string("another"))
        #expect(base.hasShape(of: same) && base.shapeHash == same.shapeHash)
        // Patterns, computed values and groups in groups are written anew each time.
        let term = ResolvedCondition.compare(position: 3, .less, 2)
        for condition: ResolvedCondition in [
            .text(.attribute(1), TextMatch(.prefix, "a"), isNegated: false), .always(false),
            .all([term, .any([term, term])]), .relation(.attribute(3), .less, .value(2.0), isNegated: false),
        ] {
            #expect(FetchRequest(entity: 1, condition: condition).shapeHash == nil, "\(condition)")
        }
    }

    @Test(arguments: (1...3).map(TestSeed.of))
    func `every plain request is answered with its own values`(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let rows = libraryRows(&random)
        let folder = try TemporaryFolder()
        let store = try folder.library(rows)
        let naive = NaiveQuery(schema: library, rows: rows)
        var plain = PlainRequests(random: random)
        var answers: [FetchRequest: [[StoredValue]]] = [:]
        try store.read { reader in
            for number in 0..<1_500 {
                let request = plain.request()
                let expected = try naive.answer(request)
                answers[request] = expected
                // While another request of its shape is being read.
                var shifted = request
                shifted.limit = request.limit.map { $0 + 1 }
                let open = number % 3 == 0 ? try reader.rows(shifted) : nil
                _ = try open?.next()
                #expect(try reader.all(request) == expected, "seed \(seed), request \(number): \(request)")
            }
        }
        #expect(Set(answers.values).count > 100)
        try store.close()
    }
}

/// Draws requests over ``library`` whose statements serve others of their shape: of few shapes, so that they meet.
private struct PlainRequests {
    var random: SeededNumbers

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    mutating func request() -> FetchRequest {
        var request = FetchRequest(entity: 1 + below(2))
        if below(5) > 0 { request.condition = condition(request.entity, depth: 2, inGroup: false) }
        if below(2) == 0 { request.limit = below(8) }
        if below(4) == 0 { request.offset = 1 + below(3) }
        if below(2) == 0 { request.order = [.init(position: 1, isDescending: below(2) == 0)] }
        return request
    }

    private mutating func condition(_ entity: Int, depth: Int, inGroup: Bool) -> ResolvedCondition {
        switch below(depth == 0 ? 3 : 6) {
        case 0, 1: return comparison(entity)
        case 2:
            let words: [StoredValue] = [.null, "", "A", "a", "ab", "x"]
            let start = entity == 1 ? below(3) : 1 + below(2)
            return .among(position: entity == 1 ? 2 : 1, Array(words[start..<(start + 1 + below(3))]))
        case 3:
            // An artist's mentor, a song's artist.
            return .toOne(
                position: entity == 1 ? 10 : 4, entity: 1, condition(1, depth: depth - 1, inGroup: inGroup),
                isNegated: below(2) == 0)
        case 4:
            guard entity == 1 else { return comparison(entity) }
            return .toMany(
                entity: 2, position: 4, condition(2, depth: depth - 1, inGroup: inGroup), isNegated: below(2) == 0)
        default:
            guard !inGroup else { return comparison(entity) }
            let parts = [
                condition(entity, depth: depth - 1, inGroup: true), condition(entity, depth: depth - 1, inGroup: true),
            ]
            return below(2) == 0 ? .all(parts) : .any(parts)
        }
    }

    private mutating func comparison(_ entity: Int) -> ResolvedCondition {
        let words: [StoredValue] = ["", "a", "A", "ab", "É", "strasse"]
        if below(3) == 0 {
            let orders: [Comparison] = [.less, .greaterOrEqual]
            // A year of a song, plays of an artist.
            let position = entity == 1 ? 4 : 3
            return .compare(position: position, orders[below(2)], .integer(Int64(below(5) - 2) * 500))
        }
        let (word, comparison): (StoredValue, Comparison) = (
            words[below(words.count)], below(2) == 0 ? .equal : .notEqual
        )
        if entity == 1 && below(2) == 0 {
            return .compare(position: 2, comparison, below(3) == 0 ? .null : word)
        }
        return .compare(position: 1, comparison, word)
    }
}
