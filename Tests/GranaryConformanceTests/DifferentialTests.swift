import GranaryCore
import Testing

@testable import ConformanceKit
@testable import ConformanceModels

@Suite struct DifferentialTests {
    private func query(_ seed: UInt64) -> String {
        var choices = Choices(seed: seed)
        return QueryMaker.query(&choices).description
    }

    @Test func `the same seed makes the same query, its choices too`() {
        for seed in 0..<50 as Range<UInt64> {
            var choices = Choices(seed: seed)
            let made = QueryMaker.query(&choices).description
            #expect(made == query(seed))
            var again = Choices(choices.taken)
            #expect(QueryMaker.query(&again).description == made)
        }
        #expect(query(1) != query(2))
    }

    @Test func `no choices make the simplest query`() {
        var choices = Choices([])
        #expect(QueryMaker.query(&choices).description == "Song")
    }

    @Test func `a few hundred queries have every kind of condition, expression and form in them`() {
        let text = (0..<600 as Range<UInt64>).map(query).joined(separator: "\n")
        let parts = [
            " == ", " <= ", "any ", "is not empty", " in [", " in (", "!", " && ", " || ", "contains[", "like",
            "matches",
            " + ", " * ", " / ", " % ", "??", "folded[", ".length", "->", ".year", "double(", ".count(", ".sum(",
            ".average(", ".minimum(", "distinct ", "sorted by -", "nils first", "nils last", "limit", "offset",
            "select ", "select distinct", "grouped by", " give ", "genre.label", "album.artist.genre.label",
            "manager.manager", "album.songs", "playlists",
        ]
        for part in parts { #expect(text.contains(part), "no query has \(part)") }
    }

    @Test func `a failing query is made as small as it can be`() {
        // Fails wherever texts are looked at without regard to diacritics.
        func fails(_ list: [Int]) -> Bool {
            var choices = Choices(list)
            return QueryMaker.query(&choices).description.contains("folded[d]")
        }
        let found = (0..<2000 as Range<UInt64>).lazy.map { seed -> [Int] in
            var choices = Choices(seed: seed)
            _ = QueryMaker.query(&choices)
            return choices.taken
        }.first { fails($0) && $0.count > 20 }
        let smallest = Choices.shrunk(found ?? [], runs: 2000, fails: fails)
        var choices = Choices(smallest)
        let text = QueryMaker.query(&choices).description
        #expect(text.contains("folded[d]"))
        #expect(text.utf8.count < 60, "\(text)")
    }

    @Test func `sums and averages of the reference are exact`() throws {
        func result(_ function: AggregateFunction, _ values: [StoredValue], _ type: AttributeType) throws -> StoredValue
        {
            try ReferenceAggregate.result(function, values, type, isDistinct: false)
        }
        let big = StoredValue.integer(1 << 62)
        #expect(try result(.sum, [big, big, .integer(-1 << 62)], .int64) == big)
        #expect(try result(.average, [.integer(.max), .integer(.max)], .int64) == .real(0x1p63))
        #expect(try result(.average, [.integer(1), .integer(2), .null], .int64) == .real(1.5))
        #expect(try result(.average, [.integer(1), .integer(0), .integer(0)], .int64) == .real(1.0 / 3))
        #expect(
            try result(.sum, [.real(1e308), .real(1e308), .real(-1e308), .real(-1e308), .real(3)], .double) == .real(3))
        #expect(try result(.sum, Array(repeating: .real(0.1), count: 10), .double) == .real(1))
        let least = Double.leastNonzeroMagnitude
        #expect(try result(.sum, [.real(least), .real(-2.5)], .double) == .real(-2.5))
        #expect(try result(.average, [.real(least), .real(2 * least)], .double) == .real(2 * least))
        #expect(try result(.average, [.real(.greatestFiniteMagnitude)], .double) == .real(.greatestFiniteMagnitude))
        #expect(throws: GranaryError.self) { try result(.sum, [big, big], .int64) }
    }
}
