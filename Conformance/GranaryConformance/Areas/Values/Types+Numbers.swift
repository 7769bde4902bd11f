import ConformanceKit
import Foundation
import GranaryCore

var numberTypesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "types.unsigned-beyond-int64", in: .types,
            "an unsigned integer beyond Int64 is refused and nothing is written"
        ) { trial in
            for value in [UInt64(Int64.max) + 1, .max] {
                try trial.write { transaction in
                    try expectError(.range, entity: "Sample", attributes: ["uint64"]) {
                        try transaction.insert(Sample(id: 1, uint64: value, text: "kept out"))
                    }
                    try expectError(.range, entity: "Sample", attributes: ["uint64"]) {
                        try transaction.insert([Sample(id: 2), Sample(id: 3, uint64: value)])
                    }
                    try expectError(.range, entity: "Sample", attributes: ["uint64"]) {
                        try transaction.upsert(Sample(id: 4, uint64: value))
                    }
                    try expectError(.range, entity: "Sample", attributes: ["uint64"]) {
                        try transaction.count(Sample.where { $0.uint64 == value })
                    }
                }
                try expectEqual(try trial.keys(Sample.all), [])
            }
        },
        ConformanceCase(
            "types.unsigned-update", in: .types, "a refused unsigned integer leaves the record it would have replaced"
        ) { trial in
            try trial.insert([Sample(id: 1, uint64: 5, text: "old")])
            try trial.write { transaction in
                try expectError(.range, entity: "Sample", attributes: ["uint64"]) {
                    try transaction.update(Sample(id: 1, uint64: .max, text: "new"))
                }
                try expectError(.range, entity: "Sample", attributes: ["uint64"]) {
                    try Sample.all.updateAll(in: transaction) {
                        $0.set(\.text, to: "new")
                        $0.set(\.uint64, to: .max)
                    }
                }
            }
            try expectEqual(try trial.find(Sample.self, 1), Sample(id: 1, uint64: 5, text: "old"))
        },
        ConformanceCase(
            "types.stored-range", in: .types, "an integer that does not fit its attribute's width is refused"
        ) { trial in
            let stack = try trial.open(Schema(Sample.self))
            try stack.blocking.write { transaction in
                try expectError(.range, entity: "Sample", attributes: ["int8"]) {
                    try transaction.insert(ForgedSample(id: 1, position: 2, value: .integer(128)))
                }
                try expectError(.range, entity: "Sample", attributes: ["uint8"]) {
                    try transaction.insert(ForgedSample(id: 1, position: 6, value: .integer(-1)))
                }
                try expectError(.range, entity: "Sample", attributes: ["flag"]) {
                    try transaction.insert(ForgedSample(id: 1, position: 1, value: .integer(2)))
                }
            }
            try expectEqual(try trial.keys(Sample.all), [])
        },
        ConformanceCase(
            "types.stored-kind", in: .types, "a value of another kind than its attribute's is refused"
        ) { trial in
            let stack = try trial.open(Schema(Sample.self))
            let forgeries: [(Int, String, StoredValue)] = [
                (5, "integer", .string("5")), (5, "integer", .real(5)), (11, "double", .integer(5)),
                (13, "text", .bytes([65])), (13, "text", .integer(5)), (14, "data", .string("A")),
            ]
            try stack.blocking.write { transaction in
                for (position, name, value) in forgeries {
                    try expectError(.typeMismatch, entity: "Sample", attributes: [name]) {
                        try transaction.insert(ForgedSample(id: 1, position: position, value: value))
                    }
                }
            }
            try expectEqual(try trial.keys(Sample.all), [])
        },
        ConformanceCase(
            "types.nan", in: .types, "NaN is refused in every floating type, in records, changes and conditions"
        ) { trial in
            try trial.insert([Sample(id: 1, float: 1, double: 1, decimal: 1)])
            let records = [
                ("float", Sample(id: 1, float: .nan)), ("double", Sample(id: 1, double: .nan)),
                ("double", Sample(id: 1, double: .signalingNaN)), ("decimal", Sample(id: 1, decimal: .nan)),
            ]
            try trial.write { transaction in
                for (name, record) in records {
                    try expectError(.range, entity: "Sample", attributes: [name]) { try transaction.upsert(record) }
                }
                try expectError(.range, entity: "Sample", attributes: ["double"]) {
                    try Sample.all.updateAll(in: transaction) { $0.set(\.double, to: .nan) }
                }
                try expectError(.range, entity: "Sample", attributes: ["double"]) {
                    try transaction.fetch(Sample.where { $0.double < .nan })
                }
                try expectError(.range, entity: "Sample", attributes: ["float"]) {
                    try transaction.fetch(Sample.where { $0.float.in([1, .nan]) })
                }
                try expectError(.range, entity: "Sample", attributes: ["decimal"]) {
                    try transaction.fetch(Sample.where { $0.decimal == .nan })
                }
            }
            try expectEqual(try trial.find(Sample.self, 1), Sample(id: 1, float: 1, double: 1, decimal: 1))
        },
        ConformanceCase("types.negative-zero", in: .types, "-0.0 comes back as 0.0 and equals it in conditions") {
            trial in
            try trial.insertTwins([
                Sample(
                    id: 1, float: -0.0, double: -0.0, decimal: -0, date: Date(timeIntervalSinceReferenceDate: -0.0)),
                Sample(id: 2, float: 0.0, double: 0.0, decimal: 0, date: Date(timeIntervalSinceReferenceDate: 0.0)),
            ])
            try trial.read { snapshot in
                for sample in try snapshot.fetch(Sample.all) + snapshot.fetch(IndexedSample.all).map(\.sample) {
                    try expectEqual(sample.float?.bitPattern, Float(0).bitPattern, "float")
                    try expectEqual(sample.double?.bitPattern, Double(0).bitPattern, "double")
                    try expectEqual(
                        sample.date?.timeIntervalSinceReferenceDate.bitPattern, Double(0).bitPattern, "date")
                    try expectEqual(sample.decimal?.sign, .plus, "decimal")
                }
                for query in [
                    Sample.where { $0.float == -0.0 }, Sample.where { $0.double == -0.0 },
                    Sample.where { $0.double >= -0.0 && $0.double <= -0.0 }, Sample.where { $0.double == 0.0 },
                    Sample.where { $0.date == Date(timeIntervalSinceReferenceDate: -0.0) },
                ] { try snapshot.expectTwins(query, [1, 2]) }
                try snapshot.expectTwins(Sample.where { $0.double < 0.0 }, [])
            }
        },
        ConformanceCase("types.float-bits", in: .types, "a Float comes back bit for bit") { trial in
            var random = CaseRandom(seed: trial.seed)
            let floats = (0..<500).map { _ in Float(bitPattern: UInt32.random(in: .min ... .max, using: &random)) }
                .filter { !$0.isNaN && $0 != 0 }
            try trial.insert(floats.enumerated().map { Sample(id: Int64($0), float: $1) })
            let back = try trial.fetch(Sample.all).map { $0.float?.bitPattern }
            try expectEqual(back, floats.map(\.bitPattern))
        },
        ConformanceCase("types.double-bits", in: .types, "a Double and a Date come back bit for bit") { trial in
            var random = CaseRandom(seed: trial.seed)
            let doubles = (0..<500).map { _ in Double(bitPattern: random.next()) }.filter { $0.isFinite && $0 != 0 }
            try trial.insert(
                doubles.enumerated().map {
                    Sample(id: Int64($0), double: $1, date: Date(timeIntervalSinceReferenceDate: $1))
                })
            let back = try trial.fetch(Sample.all)
            try expectEqual(back.map { $0.double?.bitPattern }, doubles.map(\.bitPattern))
            try expectEqual(
                back.map { $0.date?.timeIntervalSinceReferenceDate.bitPattern }, doubles.map(\.bitPattern))
        },
        ConformanceCase("types.date-infinite", in: .types, "an infinite date, or one of NaN, is refused") { trial in
            for seconds in [Double.infinity, -.infinity, .nan] {
                let date = Date(timeIntervalSinceReferenceDate: seconds)
                try trial.write { transaction in
                    try expectError(.range, entity: "Sample", attributes: ["date"]) {
                        try transaction.insert(Sample(id: 1, date: date))
                    }
                    try expectError(.range, entity: "Sample", attributes: ["date"]) {
                        try transaction.count(Sample.where { $0.date < date })
                    }
                }
            }
            try expectEqual(try trial.keys(Sample.all), [])
        },
        ConformanceCase(
            "types.decimal-limits", in: .types, "a decimal of more than 38 digits or beyond the exponents is refused"
        ) { trial in
            let refused =
                [
                    "340282366920938463463374607431768211455", "-340282366920938463463374607431768211455",
                    "3.40282366920938463463374607431768211455",
                ].map(Boundaries.decimal) + [Decimal(sign: .plus, exponent: 127, significand: 10)]
            for value in refused {
                try trial.write { transaction in
                    try expectError(.range, entity: "Sample", attributes: ["decimal"]) {
                        try transaction.insert(Sample(id: 1, decimal: value))
                    }
                    try expectError(.range, entity: "Sample", attributes: ["decimal"]) {
                        try transaction.fetch(Sample.where { $0.decimal == value })
                    }
                }
            }
            try expectEqual(try trial.keys(Sample.all), [])
        },
        ConformanceCase("types.decimal-zeros", in: .types, "decimals are equal as numbers, however written") { trial in
            let ways = [
                Boundaries.decimal("1"), Boundaries.decimal("1.0"), Boundaries.decimal("1.00"),
                Decimal(sign: .plus, exponent: -2, significand: 100),
                Decimal(sign: .plus, exponent: -20, significand: 1)
                    * Decimal(sign: .plus, exponent: 20, significand: 1),
            ]
            try trial.insertTwins(ways.enumerated().map { Sample(id: Int64($0), decimal: $1) })
            try trial.read { snapshot in
                for way in ways {
                    try snapshot.expectTwins(Sample.where { $0.decimal == way }, [0, 1, 2, 3, 4])
                    try snapshot.expectTwins(Sample.where { $0.decimal < way }, [])
                    try snapshot.expectTwins(Sample.where { $0.decimal.in([way, way]) }, [0, 1, 2, 3, 4])
                }
                for sample in try snapshot.fetch(Sample.all) { try expectEqual(sample.decimal, 1) }
            }
        },
        ConformanceCase("types.decimal-order", in: .types, "decimals order as numbers, not as texts") { trial in
            let values = ["100", "9", "0.01", "0", "-9.5", "-10"].map(Boundaries.decimal)
            try trial.insertTwins(values.enumerated().map { Sample(id: Int64($0), decimal: $1) })
            try trial.read {
                try $0.expectTwins(Sample.sorted(by: \.decimal), [5, 4, 3, 2, 1, 0])
                try $0.expectTwins(Sample.where { $0.decimal > -9.75 && $0.decimal < 50 }, [1, 2, 3, 4])
            }
        },
    ]
}

/// A sample as a program that does not keep to its schema would write it: one cell of any kind, the others nil.
private struct ForgedSample: Record {
    var id: Int64
    var position: Int
    var value: StoredValue

    static let entityName = Sample.entityName
    static let entity = Sample.entity
    static let fields = Sample.fields

    init(id: Int64, position: Int, value: StoredValue) {
        (self.id, self.position, self.value) = (id, position, value)
    }

    init(row: borrowing Row) throws { self.init(id: try row.decode(at: 0), position: 0, value: .null) }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try value.encode(into: &row, at: position)
    }
}
