import ConformanceKit
import Foundation
import GranaryCore

var limitsCases: [ConformanceCase] {
    sizeLimitsCases + schemaLimitsCases + heavyLimitsCases
}

private var sizeLimitsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "limits.text-index", in: .limits, "texts and data of 10 000 bytes in an index are found and ordered"
        ) {
            trial in
            let stem = String(repeating: "i", count: 9999)
            let ends = ["c", "a", "b", "", "ba"]
            try trial.insertTwins(
                ends.enumerated().map { Sample(id: Int64($0), text: stem + $1, data: Data((stem + $1).utf8)) })
            try trial.read { snapshot in
                try snapshot.expectTwins(Sample.sorted(by: \.text), [3, 1, 2, 4, 0])
                try snapshot.expectTwins(Sample.sorted(by: \.data, .descending), [0, 4, 2, 1, 3])
                for (position, end) in ends.enumerated() {
                    try snapshot.expectTwins(Sample.where { $0.text == stem + end }, [Int64(position)])
                    try snapshot.expectTwins(Sample.where { $0.data == Data((stem + end).utf8) }, [Int64(position)])
                }
                try snapshot.expectTwins(Sample.where { $0.text > stem + "a" && $0.text < stem + "c" }, [2, 4])
                try snapshot.expectTwins(Sample.where { $0.text == stem + "d" }, [])
            }
            try trial.write {
                try $0.update(IndexedSample(Sample(id: 1, text: stem + "z")))
                try $0.update(Sample(id: 1, text: stem + "z"))
                try $0.delete(IndexedSample.self, 2)
                try $0.delete(Sample.self, 2)
            }
            try trial.read {
                try $0.expectTwins(Sample.where { $0.text >= stem + "a" }.sorted(by: \.text), [4, 0, 1])
                try $0.expectTwins(Sample.where { $0.text == stem + "a" }, [])
            }
        },
        ConformanceCase("limits.text-key", in: .limits, "a record with a text key of 10 000 bytes lives as any other") {
            trial in
            let key = String(repeating: "\u{1F600}", count: 2500)
            try trial.insert([Note(slug: key, body: "old", topic: key)])
            try trial.write { try $0.upsert(Note(slug: key, body: "new", topic: key)) }
            try expectEqual(try trial.find(Note.self, key)?.body, "new")
            try expectEqual(try trial.keys(Note.where { $0.topic == key }), [key])
            try trial.write { try expectEqual(try $0.delete(Note.self, key), true) }
            try expectEqual(try trial.find(Note.self, key), nil)
            try expectEqual(try trial.keys(Note.where { $0.topic == key }), [])
        },
        ConformanceCase("limits.attributes", in: .limits, "a record has 500 attributes") { trial in
            try trial.open(Schema(Wide.self))
            let records = (0..<20).map { (number: Int64) -> Wide in
                let values = (1...Int64(Wide.width)).map { (place: Int64) -> Int64? in
                    place % 7 == 0 ? nil : place * 1000 + number
                }
                return Wide(id: number, values: values)
            }
            try trial.insert(records)
            try expectEqual(try trial.fetch(Wide.all), records)
            try expectEqual(try trial.keys(Wide.where { $0.last == 499_012 }), [12])
            try expectEqual(try trial.keys(Wide.where { $0.middle >= 250_018 && $0.first > 0 }), [18, 19])
            var changed = records[3]
            changed.values[498] = nil
            changed.values[6] = 5
            try trial.write { try $0.update(changed) }
            try expectEqual(try trial.find(Wide.self, 3), changed)
            try expectEqual(try trial.keys(Wide.where { $0.last == nil }), [3])
            try trial.write {
                try expectEqual(try Wide.where { $0.id < 2 }.updateAll(in: $0) { $0.set(\.last, to: -1) }, 2)
            }
            try expectEqual(try trial.keys(Wide.where { $0.last == -1 }), [0, 1])
        },
        ConformanceCase("limits.savepoints", in: .limits, "savepoints nest to 100 and are undone one by one") { trial in
            try trial.write { transaction in
                func nest(_ depth: Int) throws {
                    if depth > 100 { return }
                    try transaction.insert(Shelf(id: Int64(depth)))
                    do {
                        try transaction.savepoint {
                            try nest(depth + 1)
                            if depth == 60 || depth == 90 { throw Abandon() }
                        }
                    } catch is Abandon {}
                }
                try nest(1)
            }
            try expectEqual(try trial.keys(Shelf.all), Array(1...60))
        },
        ConformanceCase("limits.value-sizes", in: .limits, "some megabytes of text and data in one record") { trial in
            let text = String(repeating: "\u{E9}\0", count: 400_000)
            let data = Data(repeating: 0xA5, count: 5_000_001)
            let sample = Sample(id: 1, text: text, data: data, json: JSON(Extra(tags: [text], depth: 1)))
            try trial.insert([sample, Sample(id: 2, text: "small")])
            let back = try trial.find(Sample.self, 1)
            try expectEqual(back?.text, text)
            try expectEqual(back?.data, data)
            try expectEqual(back?.json?.value.tags.first, text)
            try trial.write { try $0.update(Sample(id: 1, text: "shrunk")) }
            try expectEqual(try trial.fetch(Sample.all), [Sample(id: 1, text: "shrunk"), Sample(id: 2, text: "small")])
        },
    ]
}

private var heavyLimitsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "limits.text-100mb", in: .limits, "a text and data of 100 MB come back whole", isHeavy: true
        ) { trial in
            let text = String(repeating: "0123456789abcdef", count: 6_250_000)
            try trial.insert([Sample(id: 1, text: text), Sample(id: 2, text: "small")])
            try expectEqual(try trial.find(Sample.self, 1)?.text, text)
            let data = Data(repeating: 0x5A, count: 100_000_000)
            try trial.write { try $0.update(Sample(id: 1, data: data)) }
            try trial.read {
                try expectEqual(try $0.find(Sample.self, 1)?.data, data)
                try expectEqual(try $0.find(Sample.self, 1)?.text, nil)
                try expectEqual(try $0.count(Sample.where { $0.data == data }), 1)
            }
            try trial.write { try expectEqual(try $0.delete(Sample.self, 1), true) }
            try expectEqual(try trial.fetch(Sample.all), [Sample(id: 2, text: "small")])
        },
        ConformanceCase(
            "limits.million", in: .limits, "a million records are inserted, counted, streamed, found and sorted",
            isHeavy: true, modes: [.fresh]
        ) { trial in
            let count: Int64 = 1_000_000
            // 7 919 and a million have no factor in common, so that the ages are a permutation.
            func record(_ id: Int64) -> Person {
                Person(
                    id: id, firstName: "First \(id % 1000)", lastName: "Last \(id % 777)", age: Int(id * 7919 % count),
                    rating: Double(id % 100) / 10, country: "c\(id % 200)", number: Int(id))
            }
            for start in stride(from: Int64(0), to: count, by: 50_000) {
                try trial.write { transaction in
                    for id in start..<start + 50_000 { try transaction.insert(record(id)) }
                }
            }
            try trial.read { snapshot in
                try expectEqual(try snapshot.count(Person.all), Int(count))
                var next: Int64 = 0
                try Person.all.forEach(in: snapshot) { person in
                    if person.id != next || person.id % 50_000 == 0 { try expectEqual(person, record(next)) }
                    next += 1
                }
                try expectEqual(next, count)
                for id in stride(from: Int64(0), to: count, by: 9973) {
                    try expectEqual(try snapshot.find(Person.self, id), record(id))
                }
                let oldest = try snapshot.fetch(Person.sorted(by: \.age, .descending).limit(5)).map(\.age)
                try expectEqual(oldest, (1...5).map { Int(count) - $0 })
                let middle = try snapshot.fetch(Person.sorted(by: \.age).limit(3).offset(500_000)).map(\.age)
                try expectEqual(middle, [500_000, 500_001, 500_002])
                let sorted = try snapshot.fetch(
                    Person.sorted(by: \.firstName).sorted(by: \.number, .descending).limit(3))
                try expectEqual(sorted.map(\.id), [999_000, 998_000, 997_000])
                try expectEqual(try snapshot.count(Person.where { $0.age >= 250_000 && $0.age < 250_100 }), 100)
                try expectEqual(try snapshot.count(Person.where { $0.firstName == "First 7" }), 1000)
                try expectEqual(
                    try snapshot.fetch(Person.where { $0.country == "c5" && $0.number == 500_005 }).map(\.id), [500_005]
                )
            }
            try trial.write {
                try expectEqual(
                    try Person.where { $0.rating == 9.9 }.updateAll(in: $0) { $0.set(\.rating, to: nil) }, 10_000)
                try expectEqual(try Person.where { $0.id >= 100_000 }.deleteAll(in: $0), 900_000)
            }
            try trial.read {
                try expectEqual(try $0.count(Person.all), 100_000)
                try expectEqual(try $0.count(Person.where { $0.rating == nil }), 1000)
            }
        },
    ]
}
