import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

var literalsCases: [ConformanceCase] {
    [
        ConformanceCase("literals.float", in: .expressions, "a number beside a Float is a Float, in text as in Swift") {
            trial in
            let floats: [Float] = [0.1, 0.2, 16_777_216, .infinity, 0]
            try trial.insert(floats.enumerated().map { Sample(id: Int64($0 + 1), float: $1) })
            func agree(_ text: String, _ keys: [Int64], _ typed: (Sample.Fields) -> Condition<Sample>) throws {
                try trial.read { snapshot in
                    try expectEqual(try snapshot.fetch(Sample.where(text)).map(\.id), keys, text)
                    try expectEqual(try snapshot.fetch(Sample.where(typed)).map(\.id), keys, "typed \(text)")
                }
            }
            try agree("float == 0.1", [1]) { $0.float == 0.1 }
            try agree("float IN {0.2, 0.1}", [1, 2]) { $0.float.in([0.2, 0.1]) }
            try agree("float > 0.1", [2, 3, 4]) { $0.float > 0.1 }
            try agree("float <= 0.2", [1, 2, 5]) { $0.float <= 0.2 }
            let between = 16_777_217
            try agree("float == 16777217", [3]) { $0.float == Float(between) }
            try agree("(float ?? 0.2) == 0.2", [2]) { ($0.float ?? 0.2) == 0.2 }
            // No Float is so great, and infinity is not it.
            try expectEqual(try trial.keys(Sample.where("float == 1e300")), [])
            try expectEqual(try trial.keys(Sample.where("float > 1e300")), [4])
        },
        ConformanceCase(
            "literals.float-arguments", in: .expressions,
            "a double beside a Float is the nearest Float, by name and as argument"
        ) { trial in
            let floats: [Float] = [0.1, 0.2, 16_777_216, .infinity, 0]
            try trial.insertTwins(floats.enumerated().map { Sample(id: Int64($0 + 1), float: $1) })
            try trial.read { snapshot in
                func expect(
                    _ text: String, _ arguments: QueryArgument..., keys: [Int64],
                    typed: (Sample.Fields) -> Condition<Sample>
                ) throws {
                    try snapshot.expectTwins(try Sample.all.where(text, arguments: arguments), keys, text)
                    try snapshot.expectTwins(Sample.where(typed), keys, "typed")
                }
                try expect("float == %@", 0.1, keys: [1]) { $0.float == 0.1 }
                try expect("%@ == float", 0.1, keys: [1]) { 0.1 == $0.float }
                try expect("float > %@", 0.1, keys: [2, 3, 4]) { $0.float > 0.1 }
                try expect("float <= %@", 0.2, keys: [1, 2, 5]) { $0.float <= 0.2 }
                try expect("float != %@", 0.2, keys: [1, 3, 4, 5]) { $0.float != 0.2 }
                try expect("float BETWEEN {%@, %@}", 0.1, 0.2, keys: [1, 2]) { $0.float.between(0.1, 0.2) }
                try expect("float IN %@", [0.2, 0.1, 0.3], keys: [1, 2]) { $0.float.in([0.2, 0.1, 0.3]) }
                try expect("float IN {%@, 0.1}", 0.2, keys: [1, 2]) { $0.float.in([0.2, 0.1]) }
                try expect("(float ?? %@) == %@", 0.3, 0.2, keys: [2]) { ($0.float ?? 0.3) == 0.2 }
                try expect("-float == %@", -0.1, keys: [1]) { -$0.float == -0.1 }
                // What is computed of Floats is compared with Floats.
                try expect("float * 1 == %@", 0.1, keys: [1]) { $0.float * 1 == 0.1 }
                try expect("(float * 1 ?? 0.3) == 0.1", keys: [1]) { ($0.float * 1 ?? 0.3) == 0.1 }
                try expect("float + 0 == 0.1", keys: [1]) { $0.float + 0 == 0.1 }
                try expect("float + 0 IN {0.1, %@}", 0.2, keys: [1, 2]) { sample in (sample.float + 0).in([0.1, 0.2]) }
                // No Float is so great, and infinity is not it.
                try snapshot.expectTwins(try Sample.where("float == %@", 1e300), [])
                try snapshot.expectTwins(try Sample.where("float > %@", 1e300), [4])
                for comparison in Comparison.allCases {
                    let named = AnyCondition.compare("float", comparison, .real(0.2))
                    let typed = try snapshot.twinKeys(
                        Sample.where { _ in
                            Condition(.compare("float", comparison, .real(Double(Float(0.2)))))
                        })
                    try snapshot.expectTwins(Sample.where { _ in Condition(named) }, typed)
                    try snapshot.expectTwins(
                        Sample.where { _ in !Condition(named) }, [1, 2, 3, 4, 5].filter { !typed.contains($0) })
                }
            }
        },
        ConformanceCase(
            "literals.float-computed", in: .expressions, "what is computed of Floats is read as the nearest Float"
        ) { trial in
            try trial.insert([Sample(id: 1, float: 0.1), Sample(id: 2, float: 3), Sample(id: 3)])
            func nearest(_ value: Float) -> Float { Float(Double(value) * Double(Float(0.1))) }
            try trial.read { snapshot in
                let products = try snapshot.fetch(Sample.all.select { $0.float * 0.1 })
                try expectEqual(products, [nearest(0.1), nearest(3), nil])
                try expectEqual(try Sample.all.minimum({ $0.float * 0.1 }, in: snapshot), nearest(0.1))
                try expectEqual(try Sample.all.maximum({ $0.float * 0.1 }, in: snapshot), nearest(3))
                let sums = try snapshot.fetch(Sample.where { $0.float == 0.1 }.select { $0.float + $0.float })
                try expectEqual(sums, [Float(0.1) + Float(0.1)])
            }
        },
        ConformanceCase(
            "literals.json-widths", in: .expressions, "an integer inside JSON that is too great for its type is nil"
        ) { trial in
            let depths = [300, -1, 100, Int(UInt32.max), Int(Int64.min)]
            try trial.insert(
                depths.enumerated().map { Sample(id: Int64($0 + 1), json: JSON(Extra(tags: [], depth: $1))) })
            func expect<Part: IntegerAttributeValue>(_ type: Part.Type, line: Int = #line) throws
            where Part.Unwrapped == Part, Part.Nilable == Part? {
                try trial.read { snapshot in
                    let parts = try snapshot.fetch(Sample.all.select { $0.json.value(at: "depth", as: type) })
                    try expectEqual(parts, depths.map { Part(exactly: $0) }, "\(type)", line: line)
                    let absent = Sample.where { $0.json.value(at: "depth", as: type) == nil }
                    let keys = depths.indices.filter { Part(exactly: depths[$0]) == nil }.map { Int64($0 + 1) }
                    try expectEqual(try snapshot.fetch(absent).map(\.id), keys, "\(type) nil", line: line)
                }
            }
            try expect(Int8.self)
            try expect(Int16.self)
            try expect(Int32.self)
            try expect(Int.self)
            try expect(UInt8.self)
            try expect(UInt16.self)
            try expect(UInt32.self)
            try expect(UInt64.self)
        },
        ConformanceCase("literals.dates", in: .expressions, "a text beside a date is a date as a whole or an error") {
            trial in
            // 2024-05-01 12:30:00 in UTC.
            let noon = Date(timeIntervalSince1970: 1_714_566_600)
            try trial.insert([
                Sample(id: 1, date: noon), Sample(id: 2, date: noon.addingTimeInterval(0.25)),
                Sample(id: 3, date: noon.addingTimeInterval(-45_000)),
                Sample(id: 4, date: noon.addingTimeInterval(-7200)),
            ])
            func keys(_ text: String) throws -> [Int64] { try trial.keys(Sample.where("date == \"\(text)\"")) }
            let written: [(String, [Int64])] = [
                ("2024-05-01T12:30:00Z", [1]), ("2024-05-01T12:30:00", [1]), ("2024-05-01 12:30", [1]),
                ("2024-05-01T12:30Z", [1]), ("2024-05-01T14:30:00+02:00", [1]), ("2024-05-01T14:30+0200", [1]),
                ("2024-05-01T10:00:00-02:30", [1]), ("2024-05-01T12:30:00.25", [2]), ("2024-05-01 12:30:00.250Z", [2]),
                ("2024-05-01", [3]), ("2024-05-01T00:00", [3]), ("2024-05-01T12:30+02:00", [4]),
                ("2024-04-30T23:00:00-11:30", [4]), ("2023-05-01T12:30:00Z", []),
            ]
            for (text, expected) in written { try expectEqual(try keys(text), expected, text) }
            for text in [
                "", "banana", "2024-05-01banana", "2024-05-01T", "2024-05-01 ", "2024-05-01Z", "2024-05-01T12",
                "24-05-01",
                "2024-05-01T12:30:00Zulu", "2024-05-01T12:30:00 Z", "2024-05-01T12:30:00.", "2024-05-01T12:30:00+2",
                "2024-05-01  12:30", "2024-02-30", "2023-02-29", "2024-13-01", "2024-00-01", "2024-05-00", "2024-04-31",
                "2024-05-01T24:00", "2024-05-01T12:60", "2024-05-01T12:30:60", "2024-5-1", "+024-05-01", " 2024-05-01",
                "2024-05-01T12:30:00+02:60", "2024-05-01\\n",
            ] {
                let error = try trial.read { snapshot in
                    try expectError(.typeMismatch, entity: "Sample") {
                        try snapshot.fetch(Sample.where("date > \"\(text)\"")).count
                    }
                }
                if text.count > 3, !text.contains("\\") { try expect(error.message.contains(text), error.message) }
            }
        },
        ConformanceCase(
            "literals.date-seconds", in: .expressions, "a number beside a date is seconds, in text as in a tree"
        ) {
            trial in
            let shop = try Shop(trial)
            let text = "released + 86400 == \"2001-01-02\""
            try shop.read { snapshot in
                let moved = AnyExpression.arithmetic(.attribute("released"), .add, .value(.integer(86_400)))
                let tree = AnyCondition.relation(moved, .equal, .value(.real(86_400)))
                try expectEqual(try snapshot.fetch(Song.where { _ in Condition(tree) }).map(\.id), [4])
                try expectEqual(try snapshot.fetch(Song.where(text)).map(\.id), [4])
                try expectEqual(
                    try snapshot.fetch(Song.where("released - 0.5 < \"2001-01-01\" AND year(released) == 2001")).map(
                        \.id),
                    [4])
                try expectEqual(try snapshot.fetch(Song.where("released - \"2000-12-31\" == 86400")).map(\.id), [4])
            }
        },
        ConformanceCase(
            "literals.date-arguments", in: .expressions, "a double beside a date is seconds, a date beside it is a date"
        ) { trial in
            let shop = try Shop(trial)
            func moved(_ operation: ArithmeticOperator, _ seconds: StoredValue) -> AnyExpression {
                .arithmetic(.attribute("released"), operation, .value(seconds))
            }
            // Midnight of 2001-01-01 is 0.
            for (operation, seconds) in [
                (ArithmeticOperator.add, StoredValue.real(86_400)), (.add, .integer(86_400)),
                (.subtract, .real(-86_400)),
                (.subtract, .integer(-86_400)),
            ] {
                let tree = AnyCondition.relation(moved(operation, seconds), .equal, .value(.real(86_400)))
                try shop.songs([4]) { _ in Condition(tree) }
                let year = AnyExpression.function(.date(.day, offset: 0), moved(operation, seconds))
                try shop.songs([4]) { _ in Condition(.relation(year, .equal, .value(.integer(2)))) }
                // It is a date, and no number.
                try shop.expectFailure(
                    .typeMismatch, entity: "Song",
                    of: Song.where { _ in Condition(.relation(moved(operation, seconds), .less, .attribute("score"))) })
            }
            let day = Shop.date(2000, 12, 31)
            try shop.expect(try Song.where("released - %@ == 86400", day), [4])
            try shop.expect(try Song.where("%@ - released == -86400", day), [4])
            try shop.expect(try Song.where("released + %@ == \"2001-01-02\"", 86_400.0), [4])
            try shop.expect(try Song.where("released - %@ == %@", 86_400.0, day), [4])
            try shop.expect(try Song.where("released > %@ AND released IN {%@}", day, Shop.date(2001, 1, 1)), [4])
            let distance = AnyExpression.arithmetic(.attribute("released"), .subtract, .literal(.date(-86_400)))
            try shop.songs([4]) { _ in Condition(.relation(distance, .equal, .value(.real(86_400)))) }
            try shop.expectFailure(.typeMismatch, entity: "Song", of: try Song.where("released + %@ == NIL", day))
            try shop.expectFailure(.typeMismatch, entity: "Song", of: try Song.where("score - %@ == 1", day))
        },
        ConformanceCase(
            "literals.lists", in: .expressions, "numbers of either kind stand in a list beside a computed number"
        ) {
            trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                func keys(_ text: String) throws -> [Int64] { try snapshot.fetch(Song.where(text)).map(\.id) }
                try expectEqual(try keys("seconds IN {100, 200.5, 200.0}"), [1, 2, 4])
                try expectEqual(try keys("seconds + 1 IN {101, 200.5, 201.0}"), [1, 2, 4])
                try expectEqual(try keys("seconds + 1 IN {200.5}"), [])
                try expectEqual(try keys("NOT seconds + 1 IN {200.5}"), [1, 2, 3, 4, 5, 6])
                try expectEqual(try keys("score * 2 IN {3, 5.0, 9007199254740993}"), [1, 3, 4])
                try expectEqual(try keys("seconds + 1 IN {integer(101), real(201.0), NIL}"), [1, 2, 3, 4, 6])
            }
            try shop.expectFailure(.typeMismatch, entity: "Song", of: try Song.where("seconds + 1 IN {\"a\"}"))
        },
    ]
}
