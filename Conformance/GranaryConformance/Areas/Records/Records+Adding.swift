import ConformanceKit
import GranaryCore
import GranaryPlatform

private let most = Sample(
    id: 1, int8: 120, int16: 1, int32: Int32.max - 1, integer: Int64.max - 1, uint8: 5, uint16: 1, uint32: 1, uint64: 1,
    float: 16_777_216, double: 0.1, decimal: Decimal(string: "0.10"))

var addingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "records.add", in: .records,
            "`updateAll` adds to numbers of every type, each record to its own; nil stays nil"
        ) { trial in
            try trial.insert([most, Sample(id: 2, int8: -3, integer: 7), Sample(id: 3)])
            try trial.write { transaction in
                let count = try Sample.all.updateAll(in: transaction) {
                    $0.add(\.int8, 7)
                    $0.add(\.int16, -40)
                    $0.add(\.int32, 1)
                    $0.add(\.integer, 1)
                    $0.add(\.uint8, -5)
                    $0.add(\.uint16, 1)
                    $0.add(\.uint32, 1)
                    $0.add(\.uint64, 1)
                    $0.add(\.float, 1)
                    $0.add(\.double, 0.2)
                    $0.add(\.decimal, Decimal(string: "0.205") ?? 0)
                    $0.set(\.text, to: "added")
                }
                try expectEqual(count, 3)
            }
            try expectEqual(
                try trial.fetch(Sample.all),
                [
                    Sample(
                        id: 1, int8: 127, int16: -39, int32: .max, integer: .max, uint8: 0, uint16: 2, uint32: 2,
                        uint64: 2,
                        float: 16_777_216, double: 0.1 + 0.2, decimal: Decimal(string: "0.305"), text: "added"),
                    Sample(id: 2, int8: 4, integer: 8, text: "added"), Sample(id: 3, text: "added"),
                ])
        },
        ConformanceCase(
            "records.add-overflow", in: .records, "a sum that does not fit its attribute fails the whole call"
        ) { trial in
            let least = Sample(id: -1, integer: .min)
            let records = [least, Sample(id: 0, int8: 1, int32: 1, integer: 1, uint8: 9), most]
            try trial.insert(records)
            func refused(_ name: String, _ changes: (inout Changes<Sample>) -> Void) throws {
                try trial.write { transaction in
                    try expectError(.overflow, entity: "Sample", attributes: [name]) {
                        try Sample.all.updateAll(in: transaction, changes)
                    }
                    try expectEqual(try transaction.fetch(Sample.all), records)
                }
            }
            try trial.write { transaction in
                try expectError(.overflow, entity: "Sample", attributes: ["integer"]) {
                    try Sample.where { $0.id == -1 }.updateAll(in: transaction) { $0.add(\.integer, -1) }
                }
            }
            try refused("int8") { $0.add(\.int8, 8) }
            try refused("int8") { $0.add(\.int8, 100_000) }
            try refused("int32") { $0.add(\.int32, 2) }
            try refused("integer") { $0.add(\.integer, -1) }
            try refused("integer") { $0.add(\.integer, 2) }
            try refused("integer") { $0.add(\.integer, .max) }
            try refused("uint8") { $0.add(\.uint8, -6) }
            try refused("uint64") { $0.add(\.uint64, -2) }
            try trial.write { transaction in
                _ = try Sample.all.updateAll(in: transaction) { $0.set(\.double, to: .infinity) }
                try expectError(.range, entity: "Sample", attributes: ["double"]) {
                    try Sample.all.updateAll(in: transaction) { $0.add(\.double, -.infinity) }
                }
                try expectEqual(try Sample.all.updateAll(in: transaction) { $0.add(\.double, 1) }, records.count)
            }
        },
        ConformanceCase(
            "records.add-several", in: .records,
            "additions to one attribute add up, and count on from a value that is set"
        ) { trial in
            try trial.insert([most])
            try trial.write { transaction in
                _ = try Sample.all.updateAll(in: transaction) {
                    $0.add(\.int8, 100)
                    $0.add(\.int8, -200)
                    $0.add(\.int16, 9)
                    $0.set(\.int16, to: 30)
                    $0.add(\.int16, 1)
                }
            }
            let found = try trial.find(Sample.self, 1)
            try expectEqual(found?.int8, 20)
            try expectEqual(found?.int16, 31)
        },
        ConformanceCase(
            "records.add-by-name", in: .records, "additions by name are the same; only a number is added, to a number"
        ) { trial in
            try trial.insert([most])
            try trial.write { transaction in
                let query = Request("Sample")
                try expectEqual(
                    try query.updateAll(
                        setting: ["text": .string("x")], adding: ["int8": .integer(1), "double": .real(1)],
                        in: transaction), 1)
                for (name, amount) in [
                    ("text", StoredValue.string("y")), ("flag", .integer(1)), ("date", .real(1)), ("int8", .real(1)),
                    ("double", .integer(1)), ("int8", .null),
                ] {
                    try expectError(.typeMismatch, entity: "Sample", attributes: [name]) {
                        try query.updateAll(adding: [name: amount], in: transaction)
                    }
                }
                try expectError(.invalidQuery, entity: "Sample", attributes: ["id"]) {
                    try query.updateAll(adding: ["id": .integer(1)], in: transaction)
                }
            }
            let found = try trial.find(Sample.self, 1)
            try expectEqual(found?.int8, 121)
            try expectEqual(found?.double, 1.1)
            try expectEqual(found?.text, "x")
        },
        ConformanceCase("records.add-nothing", in: .records, "to add zero, or to nil alone, is no change") { trial in
            try trial.insert([most])
            let before = try trial.read { $0.transactionNumber }
            try trial.write {
                try expectEqual(
                    try Sample.all.updateAll(in: $0) {
                        $0.add(\.integer, 0)
                        $0.add(\.decimal, 0)
                    }, 1)
            }
            try expectEqual(try trial.read { $0.transactionNumber }, before)
            try trial.write { _ = try Sample.all.updateAll(in: $0) { $0.set(\.integer, to: nil) } }
            try trial.write { _ = try Sample.all.updateAll(in: $0) { $0.add(\.integer, 5) } }
            try expectEqual(try trial.read { $0.transactionNumber }, before + 1)
        },
    ]
}
