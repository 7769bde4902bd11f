import ConformanceKit
import Foundation
import GranaryCore

var uniquenessCases: [ConformanceCase] {
    singleUniquenessCases + compoundUniquenessCases + typedUniquenessCases + uniqueWritingCases
}

private func person(_ id: Int64, _ email: String?) -> Person { Person(id: id, email: email, number: Int(id)) }

private var singleUniquenessCases: [ConformanceCase] {
    [
        ConformanceCase("uniqueness.insert", in: .uniqueness, "a value that is taken cannot be inserted") { trial in
            try trial.insert([person(1, "a")])
            try trial.write { transaction in
                try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                    try transaction.insert(person(2, "a"))
                }
                try transaction.insert(person(2, "A"))
                try transaction.insert(person(3, "a "))
            }
            try expectEqual(try trial.fetch(Person.all), [person(1, "a"), person(2, "A"), person(3, "a ")])
        },
        ConformanceCase("uniqueness.update", in: .uniqueness, "an update cannot take a value another record has") {
            trial in
            try trial.insert([person(1, "a"), person(2, "b")])
            try trial.write { transaction in
                try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                    try transaction.update(person(2, "a"))
                }
                try transaction.update(person(1, "a"))
            }
            try expectEqual(try trial.fetch(Person.all), [person(1, "a"), person(2, "b")])
        },
        ConformanceCase(
            "uniqueness.upsert", in: .uniqueness, "an upsert over one record that clashes with another is an error"
        ) { trial in
            try trial.insert([person(1, "a"), person(2, "b")])
            try trial.write { transaction in
                try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                    try transaction.upsert(person(2, "a"))
                }
                try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                    try transaction.upsert(person(3, "a"))
                }
                try transaction.upsert(person(1, "a"))
                try transaction.upsert(person(2, "c"))
            }
            try expectEqual(try trial.fetch(Person.all), [person(1, "a"), person(2, "c")])
        },
        ConformanceCase("uniqueness.nil", in: .uniqueness, "nil is not constrained") { trial in
            try trial.insert([person(1, nil), person(2, nil), person(3, "a")])
            try trial.write {
                try $0.update(person(3, nil))
                try $0.insert(person(4, "a"))
                try Person.all.updateAll(in: $0) { $0.set(\.email, to: nil) }
            }
            try expectEqual(try trial.fetch(Person.where { $0.email == nil }).map(\.id), [1, 2, 3, 4])
        },
        ConformanceCase("uniqueness.many", in: .uniqueness, "a clash within one batch inserts none of it") { trial in
            try trial.write { transaction in
                try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                    try transaction.insert([person(1, "a"), person(2, "b"), person(3, "a")])
                }
                try transaction.insert([person(4, "a"), person(5, "b")])
            }
            try expectEqual(try trial.keys(Person.sorted(by: \.email)), [4, 5])
        },
        ConformanceCase("uniqueness.empty-text", in: .uniqueness, "an empty text is a value and is constrained") {
            trial in
            try trial.insert([person(1, ""), person(2, nil)])
            try trial.write { transaction in
                try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                    try transaction.insert(person(3, ""))
                }
            }
            try expectEqual(try trial.keys(Person.all), [1, 2])
        },
        ConformanceCase(
            "uniqueness.swap", in: .uniqueness, "records of one call exchange unique values, as values and by names"
        ) { trial in
            try trial.insert([person(1, "a"), person(2, "b"), person(3, "c")])
            try trial.write { transaction in
                try transaction.update([person(1, "b"), person(2, "a")])
                try expectEqual(try transaction.fetch(Person.all), [person(1, "b"), person(2, "a"), person(3, "c")])
                // The last of a record counts.
                try transaction.update([person(1, nil), person(2, "b"), person(1, "a")])
                _ = try transaction.upsert([person(1, "b"), person(2, "c"), person(3, "a"), person(4, "d")])
                try expectEqual(
                    try transaction.fetch(Person.all), [person(1, "b"), person(2, "c"), person(3, "a"), person(4, "d")])
                var both = Array(try transaction.fetch(Request("Person")).prefix(2))
                try both[0].set("email", to: "c")
                try both[1].set("email", to: "b")
                try transaction.update(both)
                try expectEqual(try transaction.fetch(Person.all.limit(2)), [person(1, "c"), person(2, "b")])
            }
            try expectEqual(try trial.keys(Person.where { $0.email == "c" }), [1])
            try expectEqual(try trial.keys(Person.where { $0.email == "b" }), [2])
            try expectEqual(try trial.keys(Person.where { $0.email == "a" }), [3])
        },
        ConformanceCase(
            "uniqueness.swap-clash", in: .uniqueness, "what clashes at the end of a call fails it and changes nothing"
        ) { trial in
            let before = [person(1, "a"), person(2, "b"), person(3, "c")]
            try trial.insert(before)
            try trial.write { transaction in
                for wrong in [[person(1, "b"), person(2, "c")], [person(1, "b"), person(2, "a"), person(3, "a")]] {
                    try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                        try transaction.update(wrong)
                    }
                    try expectEqual(try transaction.fetch(Person.all), before)
                    try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                        try transaction.upsert(wrong)
                    }
                    try expectEqual(try transaction.fetch(Person.all), before)
                }
                try expectError(.recordNotFound, entity: "Person", attributes: ["id"]) {
                    try transaction.update([person(1, "b"), person(2, "a"), person(9, "z")])
                }
                try expectEqual(try transaction.fetch(Person.all), before)
            }
            try expectEqual(try trial.fetch(Person.all), before)
        },
        ConformanceCase(
            "uniqueness.shift", in: .uniqueness,
            "`updateAll` shifts unique numbers up and down, in any order of the keys"
        ) { trial in
            func people(_ shift: Int) -> [Person] {
                [3, 1, 4, 2].enumerated().map { Person(id: Int64($0), country: "DE", number: $1 + shift) }
            }
            try trial.insert(people(0))
            try trial.write { transaction in
                try expectEqual(try Person.all.updateAll(in: transaction) { $0.add(\.number, 1) }, 4)
                try expectEqual(try transaction.fetch(Person.all), people(1))
                try expectEqual(try Person.all.updateAll(in: transaction) { $0.add(\.number, -2) }, 4)
                try expectEqual(try transaction.fetch(Person.all), people(-1))
                try expectError(.uniqueness, entity: "Person", attributes: ["country", "number"]) {
                    try Person.where { $0.number <= 1 }.updateAll(in: transaction) { $0.add(\.number, 1) }
                }
                try expectEqual(try transaction.fetch(Person.all), people(-1))
                try expectEqual(
                    try Person.sorted(by: \.number, .descending).limit(2).updateAll(in: transaction) {
                        $0.add(\.number, 1)
                    }, 2)
            }
            try expectEqual(try trial.keys(Person.sorted(by: \.number)), [1, 3, 0, 2])
            try expectEqual(try trial.fetch(Person.sorted(by: \.number)).map(\.number), [0, 1, 3, 4])
        },
        ConformanceCase(
            "uniqueness.shift-pending", in: .uniqueness,
            "`updateAll` shifts unique numbers in a context and in its child; what clashes at the end changes nothing"
        ) { trial in
            func people(_ shift: Int) -> [Person] {
                [3, 1, 4, 2].enumerated().map { Person(id: Int64($0), country: "DE", number: $1 + shift) }
            }
            try trial.insert(people(0))
            let parent = try trial.stack.makeContext()
            defer { parent.reset() }
            let child = try parent.makeChild()
            for (context, shift) in [(parent, 0), (child, -1)] {
                try expectEqual(try Person.all.updateAll(in: context) { $0.add(\.number, 1) }, 4)
                try expectEqual(try context.fetch(Person.all), people(shift + 1))
                try expectEqual(try Person.all.updateAll(in: context) { $0.add(\.number, -2) }, 4)
                try expectEqual(try context.fetch(Person.all), people(shift - 1))
                try expectError(.uniqueness, entity: "Person", attributes: ["country", "number"]) {
                    try Person.where { $0.number <= shift + 1 }.updateAll(in: context) { $0.add(\.number, 1) }
                }
                try expectEqual(try context.fetch(Person.all), people(shift - 1))
            }
            try child.saveToParent()
            // They are still additions.
            try trial.write { try Person.all.updateAll(in: $0) { $0.add(\.number, 10) } }
            try expectEqual(try parent.blocking.save().conflicts.count, 0)
            try expectEqual(try trial.fetch(Person.all), people(8))
        },
        ConformanceCase("uniqueness.freed", in: .uniqueness, "a value is free after a deletion or a change") { trial in
            try trial.insert([person(1, "a"), person(2, "b"), person(3, "c")])
            try trial.write {
                try $0.delete(Person.self, 1)
                try $0.update(person(2, "z"))
                try $0.insert([person(4, "a"), person(5, "b")])
                try Person.where { $0.id == 3 }.deleteAll(in: $0)
                try $0.insert(person(6, "c"))
            }
            try expectEqual(try trial.keys(Person.sorted(by: \.email)), [4, 5, 6, 2])
        },
        ConformanceCase(
            "uniqueness.savepoint", in: .uniqueness, "a value is free, or taken, again after a savepoint is undone"
        ) { trial in
            try trial.insert([person(1, "a")])
            try trial.write { transaction in
                do {
                    try transaction.savepoint {
                        try transaction.insert(person(2, "b"))
                        try transaction.delete(Person.self, 1)
                        try transaction.insert(person(3, "a"))
                        throw Abandon()
                    }
                } catch is Abandon {}
                try transaction.insert(person(4, "b"))
                try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                    try transaction.insert(person(5, "a"))
                }
            }
            try expectEqual(try trial.fetch(Person.all), [person(1, "a"), person(4, "b")])
        },
        ConformanceCase(
            "uniqueness.committed", in: .uniqueness, "a clash with a record of an earlier commit fails the later one"
        ) { trial in
            try trial.insert([person(1, "a")])
            try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                try trial.write {
                    try $0.insert(person(2, "b"))
                    try $0.insert(person(3, "a"))
                }
            }
            try expectEqual(try trial.fetch(Person.all), [person(1, "a")])
            try trial.insert([person(2, "b")])
            try expectEqual(try trial.keys(Person.where { $0.email == "b" }), [2])
        },
    ]
}

private var compoundUniquenessCases: [ConformanceCase] {
    [
        ConformanceCase(
            "uniqueness.compound", in: .uniqueness, "values are constrained together, and named as the constraint does"
        ) { trial in
            try trial.insert([Person(id: 1, country: "a", number: 1)])
            try trial.write { transaction in
                try transaction.insert(Person(id: 2, country: "a", number: 2))
                try transaction.insert(Person(id: 3, country: "b", number: 1))
                try expectError(.uniqueness, entity: "Person", attributes: ["country", "number"]) {
                    try transaction.insert(Person(id: 4, country: "a", number: 1))
                }
                try expectError(.uniqueness, entity: "Person", attributes: ["country", "number"]) {
                    try transaction.update(Person(id: 3, country: "a", number: 2))
                }
            }
            try expectEqual(try trial.keys(Person.all), [1, 2, 3])
        },
        ConformanceCase(
            "uniqueness.compound-order", in: .uniqueness, "an error names attributes in the order of the constraint"
        ) { trial in
            try trial.open(Schema(Coupon.self))
            try trial.insert([Coupon(id: 1, series: "s", number: 1)])
            try trial.write { transaction in
                try expectError(.uniqueness, entity: "Coupon", attributes: ["number", "series"]) {
                    try transaction.insert(Coupon(id: 2, series: "s", number: 1))
                }
            }
            try expectEqual(try trial.keys(Coupon.all), [1])
        },
        ConformanceCase(
            "uniqueness.compound-nil", in: .uniqueness,
            "a record with nil in any attribute of a constraint is free of it"
        ) { trial in
            try trial.open(Schema(Coupon.self))
            try trial.insert([
                Coupon(id: 1, series: "s"), Coupon(id: 2, series: "s"), Coupon(id: 3, number: 1),
                Coupon(id: 4, number: 1),
                Coupon(id: 5), Coupon(id: 6), Coupon(id: 7, series: "s", number: 1),
            ])
            try trial.write { transaction in
                try expectError(.uniqueness, entity: "Coupon", attributes: ["number", "series"]) {
                    try transaction.update(Coupon(id: 1, series: "s", number: 1))
                }
                try transaction.update(Coupon(id: 7, series: nil, number: 1))
                try transaction.update(Coupon(id: 1, series: "s", number: 1))
            }
            try expectEqual(try trial.keys(Coupon.where { $0.series == "s" && $0.number == 1 }), [1])
            try expectEqual(try trial.keys(Coupon.where { $0.series == nil && $0.number == 1 }), [3, 4, 7])
        },
        ConformanceCase(
            "uniqueness.compound-bounds", in: .uniqueness, "texts side by side in a constraint are not run together"
        ) { trial in
            try trial.open(Schema(Coupon.self))
            let parts: [(String, Int)] = [
                ("a", 1), ("a\0", 1), ("", 1), ("\0", 1), ("a", 256), ("a\u{1}", 1), ("a", -1),
            ]
            let coupons = parts.enumerated().map { Coupon(id: Int64($0), series: $1.0, number: $1.1) }
            try trial.insert(coupons)
            try expectEqual(try trial.fetch(Coupon.all), coupons)
            for coupon in coupons {
                try trial.write { transaction in
                    try expectError(.uniqueness, entity: "Coupon", attributes: ["number", "series"]) {
                        try transaction.insert(Coupon(id: 99, series: coupon.series, number: coupon.number))
                    }
                }
            }
        },
    ]
}

private var typedUniquenessCases: [ConformanceCase] {
    [
        ConformanceCase(
            "uniqueness.text-canonical", in: .uniqueness,
            "texts that differ in bytes are distinct, though Swift holds them equal"
        ) { trial in
            try trial.insert([person(1, "caf\u{E9}"), person(2, "cafe\u{301}")])
            try trial.write { transaction in
                try expectError(.uniqueness, entity: "Person", attributes: ["email"]) {
                    try transaction.insert(person(3, "cafe\u{301}"))
                }
            }
            try expectEqual(try trial.keys(Person.where { $0.email == "caf\u{E9}" }), [1])
            try expectEqual(try trial.keys(Person.where { $0.email == "cafe\u{301}" }), [2])
        },
        ConformanceCase(
            "uniqueness.text-long", in: .uniqueness, "texts of 10 000 bytes that differ in the last are distinct"
        ) { trial in
            try trial.open(Schema(Coupon.self))
            let stem = String(repeating: "u", count: 9999)
            try trial.insert([
                Coupon(id: 1, text: stem + "a"), Coupon(id: 2, text: stem + "b"), Coupon(id: 3, text: stem),
                Coupon(id: 4, data: Data((stem + "a").utf8)), Coupon(id: 5, data: Data((stem + "b").utf8)),
            ])
            try trial.write { transaction in
                try expectError(.uniqueness, entity: "Coupon", attributes: ["text"]) {
                    try transaction.insert(Coupon(id: 9, text: stem + "b"))
                }
                try expectError(.uniqueness, entity: "Coupon", attributes: ["data"]) {
                    try transaction.update(Coupon(id: 5, data: Data((stem + "a").utf8)))
                }
                try transaction.update(Coupon(id: 1, text: stem + "c"))
                try transaction.insert(Coupon(id: 6, text: stem + "a"))
                try expect(try transaction.delete(Coupon.self, 2), "it was there")
                try transaction.insert(Coupon(id: 7, text: stem + "b"))
            }
            try trial.read {
                try expectEqual(try $0.fetch(Coupon.where { $0.text == stem + "a" }).map(\.id), [6])
                try expectEqual(try $0.fetch(Coupon.where { $0.text == stem + "b" }).map(\.id), [7])
                try expectEqual(
                    try $0.fetch(Coupon.where { $0.text >= stem }.sorted(by: \.text)).map(\.id), [3, 6, 7, 1])
            }
        },
        ConformanceCase("uniqueness.decimal", in: .uniqueness, "1.0 and 1.00 are one value") { trial in
            try trial.open(Schema(Coupon.self))
            try trial.insert([Coupon(id: 1, decimal: Boundaries.decimal("1.0"))])
            try trial.write { transaction in
                for text in ["1", "1.00"] {
                    try expectError(.uniqueness, entity: "Coupon", attributes: ["decimal"]) {
                        try transaction.insert(Coupon(id: 2, decimal: Boundaries.decimal(text)))
                    }
                }
                try transaction.insert(Coupon(id: 2, decimal: Boundaries.decimal("-1")))
                try transaction.insert(
                    Coupon(id: 3, decimal: Boundaries.decimal("1.00000000000000000000000000000000001")))
            }
            try expectEqual(try trial.keys(Coupon.sorted(by: \.decimal)), [2, 1, 3])
        },
        ConformanceCase("uniqueness.double", in: .uniqueness, "-0.0 and 0.0 are one value, neighbours are two") {
            trial in
            try trial.open(Schema(Coupon.self))
            try trial.insert([
                Coupon(id: 1, double: 0.0), Coupon(id: 2, double: 0.1), Coupon(id: 3, double: 0.1.nextUp),
            ])
            try trial.write { transaction in
                for value in [-0.0, 0.0, 0.1, 0.1.nextUp] {
                    try expectError(.uniqueness, entity: "Coupon", attributes: ["double"]) {
                        try transaction.insert(Coupon(id: 9, double: value))
                    }
                }
                try transaction.insert([Coupon(id: 4, double: .infinity), Coupon(id: 5, double: -.infinity)])
                try expectError(.uniqueness, entity: "Coupon", attributes: ["double"]) {
                    try transaction.insert(Coupon(id: 9, double: .infinity))
                }
            }
            try expectEqual(try trial.keys(Coupon.sorted(by: \.double)), [5, 1, 2, 3, 4])
        },
        ConformanceCase("uniqueness.bytes", in: .uniqueness, "data and UUIDs are constrained by their bytes") { trial in
            try trial.open(Schema(Coupon.self))
            let uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
            try trial.insert([
                Coupon(id: 1, data: Data(), uuid: uuid), Coupon(id: 2, data: Data([0])),
                Coupon(id: 3, data: Data([0, 0])),
            ])
            try trial.write { transaction in
                for data in [Data(), Data([0]), Data([0, 0])] {
                    try expectError(.uniqueness, entity: "Coupon", attributes: ["data"]) {
                        try transaction.insert(Coupon(id: 9, data: data))
                    }
                }
                try expectError(.uniqueness, entity: "Coupon", attributes: ["uuid"]) {
                    try transaction.insert(Coupon(id: 9, uuid: uuid))
                }
                // The same bytes in another attribute are another constraint.
                let bytes = withUnsafeBytes(of: uuid.uuid) { Data($0) }
                try transaction.insert(Coupon(id: 4, data: bytes))
            }
            try expectEqual(try trial.keys(Coupon.all), [1, 2, 3, 4])
        },
    ]
}
