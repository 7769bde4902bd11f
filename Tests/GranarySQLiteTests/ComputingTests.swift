import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

/// What Granary's functions give inside of SQL, where SQLite's own would differ.
@Suite struct ComputingTests {
    private let folder: TemporaryFolder
    private let store: any Store

    init() throws {
        folder = try TemporaryFolder()
        store = try folder.open(library)
        try store.write { writer in
            func insert(_ key: Int64, _ name: String, _ rating: Double?, _ plays: Int64?, _ fee: Int64) throws {
                let row: [StoredValue] = [
                    .integer(key), .string(name), nil, rating.map { .real($0) } ?? nil,
                    plays.map { .integer($0) } ?? nil,
                    nil, nil, .integer(fee), nil, nil, nil, nil,
                ]
                try withRow(row) { _ = try writer.insert($0, into: 1) }
            }
            try insert(1, "Ab", 1e100, .max, 100)
            try insert(2, "É", 1.0, 1, 100)
            try insert(3, "e\u{301}", -1e100, -1, 101)
        }
    }

    private let rating = TypedExpression(.attribute(3), .double, isOptional: true)
    private let plays = TypedExpression(.attribute(4), .int64, isOptional: true)
    private let fee = TypedExpression(.attribute(7), .scaledDecimal(places: 2), isOptional: false)

    private func aggregate(_ aggregates: [Aggregation.Aggregate], of condition: ResolvedCondition? = nil) throws
        -> [StoredValue]
    {
        let request = FetchRequest(entity: 1, condition: condition).aggregated(aggregates)
        return try store.read { try $0.all(request) }.first ?? []
    }

    @Test func `sums do not depend on what comes first`() throws {
        #expect(try aggregate([.init(.sum, plays), .init(.sum, rating)]) == [.integer(.max), 1.0])
        #expect(
            try aggregate([.init(.sum, plays, isDistinct: true), .init(.average, plays)]) == [
                .integer(.max), .real(0x1p63 / 3),
            ])
        let average = try DecimalNumber(
            magnitude: 10_033_333_333_333_333_333_333_333_333_333_333_333, exponent: -37, isNegative: false)
        #expect(try aggregate([.init(.sum, fee)]) == [301])
        #expect(try aggregate([.init(.average, fee)]) == [.bytes(average.bytes)])
    }

    @Test func `a sum that does not fit is an overflow`() throws {
        let condition = ResolvedCondition.compare(position: 0, .less, 3)
        #expect(failure { _ = try aggregate([.init(.sum, plays)], of: condition) }?.code == .overflow)
        #expect(failure { _ = try aggregate([.init(.sum, plays, isDistinct: true)], of: condition) }?.code == .overflow)
    }

    @Test func `an aggregate of nothing is one row`() throws {
        let none = ResolvedCondition.compare(position: 0, .equal, 99)
        #expect(
            try aggregate(
                [
                    .init(.count, nil), .init(.sum, plays), .init(.sum, rating), .init(.average, fee),
                    .init(.maximum, plays),
                ], of: none) == [0, 0, 0.0, nil, nil])
        #expect(try aggregate([]) == [])
    }

    @Test func `arithmetic that fails is the error of its operation`() throws {
        func computed(_ expression: ResolvedExpression) -> GranaryError? {
            failure {
                _ = try store.read {
                    try $0.all(
                        FetchRequest(entity: 1, condition: .relation(expression, .equal, .value(0), isNegated: false)))
                }
            }
        }
        #expect(computed(.arithmetic(.add, .attribute(4), .value(1), .integer))?.code == .overflow)
        #expect(computed(.arithmetic(.divide, .attribute(4), .value(0), .integer))?.code == .overflow)
        #expect(computed(.arithmetic(.add, .attribute(1), .value(0), .integer))?.code == .typeMismatch)
        #expect(computed(.arithmetic(.subtract, .attribute(4), .value(1), .integer)) == nil)
    }

    @Test func `a pattern that is not valid is an invalid query`() throws {
        let condition = ResolvedCondition.text(.attribute(1), TextMatch(.matches, "("), isNegated: false)
        #expect(
            failure { _ = try store.read { try $0.count(FetchRequest(entity: 1, condition: condition)) } }?.code
                == .invalidQuery)
    }

    @Test func `expressions and conditions as deep as there can be are answered`() throws {
        var sum = ResolvedExpression.value(0)
        for level in 0..<99 {
            sum = .arithmetic(
                .add, level.isMultiple(of: 2) ? .attribute(0) : sum, level.isMultiple(of: 2) ? sum : .value(1), .integer
            )
        }
        var replaced = ResolvedExpression.attribute(4)
        for _ in 0..<99 { replaced = .ifNil(replaced, .function(.real, .attribute(0))) }
        var mentor = ResolvedCondition.toOne(
            position: 10, entity: 1, .compare(position: 0, .greater, 0), isNegated: true)
        var song = ResolvedCondition.compare(position: 0, .greater, 0)
        for level in 0..<99 {
            mentor =
                level.isMultiple(of: 3)
                ? .all([.compare(position: 0, .greater, 0), .toOne(position: 10, entity: 1, mentor, isNegated: true)])
                : .toOne(position: 10, entity: 1, mentor, isNegated: true)
            song =
                level.isMultiple(of: 2)
                ? .toMany(entity: 2, position: 4, song, isNegated: true)
                : .toOne(position: 4, entity: 1, song, isNegated: true)
        }
        var way = ResolvedExpression.attribute(1)
        for _ in 0..<99 { way = .toOne(position: 10, entity: 1, way) }
        try store.read { (reader) throws in
            func count(_ condition: ResolvedCondition) throws -> Int {
                try reader.count(FetchRequest(entity: 1, condition: condition))
            }
            #expect(try count(.relation(sum, .equal, .value(149), isNegated: false)) == 1)
            #expect(try count(.relation(replaced, .greater, .value(0), isNegated: false)) == 2)
            #expect(try count(mentor) == 3)
            #expect(try count(.relation(way, .equal, .value(nil), isNegated: false)) == 3)
            #expect(try count(song) == 3)
        }
    }

    @Test func `an index over folded text is unique as folded, and other programs can read its table`() throws {
        func genre(_ key: Int64, _ name: String) -> GranaryError? {
            failure {
                try store.write { writer in
                    try withRow([.integer(key), .string(name)]) { _ = try writer.insert($0, into: 0) }
                }
            }
        }
        #expect(genre(1, "Straße") == nil)
        let error = genre(2, "STRASSE")
        #expect(error?.code == .uniqueness)
        #expect(error?.entity == "Genre")
        #expect(error?.attributes == ["name"])
        #expect(try store.verify() == [])
        try store.close()
        #expect(try shell(folder.database, #"SELECT "name", count(*) FROM "Genre""#) == [["Straße", "1"]])
        let again = try folder.open(library)
        let folded = ResolvedCondition.text(
            .attribute(1), TextMatch(.equal, "strasse", .caseInsensitive), isNegated: false)
        #expect(try again.read { try $0.all(FetchRequest(entity: 0, condition: folded)) } == [[1, "Straße"]])
        try again.close()
    }
}
