import ConformanceKit
import Foundation
import GranaryCore

var structuredTypesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "types.json-sorted", in: .types, "JSON is stored with sorted keys, so that equal values are found"
        ) { trial in
            let schema = Schema(Settings.self)
            try trial.open(schema)
            let (one, other) = (["b": 2, "a": 1, "c": 3], ["c": 3, "b": 2, "a": 1])
            try trial.write {
                try $0.insert(Settings(id: 1, values: JSON(one)))
                try $0.insert(Settings(id: 2, values: JSON(other)))
                try $0.insert(Settings(id: 3, values: nil))
                try $0.insert(Settings(id: 4, values: JSON([:])))
            }
            try trial.read { snapshot in
                try expectEqual(try snapshot.fetch(Settings.where { $0.values == JSON(other) }).map(\.id), [1, 2])
                try expectEqual(try snapshot.fetch(Settings.where { $0.values == nil }).map(\.id), [3])
                try expectEqual(try snapshot.fetch(Settings.where { $0.values == JSON([:]) }).map(\.id), [4])
                var query = Settings.all
                query = Settings.all.where(.compare("values", .equal, .string(#"{"a":1,"b":2,"c":3}"#)))
                try expectEqual(try snapshot.fetch(query).map(\.id), [1, 2])
                try expectEqual(try snapshot.find(Settings.self, 2)?.values?.value, other)
            }
        },
        ConformanceCase("types.json-text", in: .types, "JSON keeps any text inside it") { trial in
            let tags = ["\u{E9}", "e\u{301}", "a\0b", "\u{1F600}", "/\"\\", "\u{2028}", ""]
            try trial.insert([Sample(id: 1, json: JSON(Extra(tags: tags, depth: .min)))])
            let back = try trial.find(Sample.self, 1)?.json?.value
            try expectEqual(back?.tags.map { Array($0.utf8) }, tags.map { Array($0.utf8) })
            try expectEqual(back?.depth, .min)
        },
        ConformanceCase(
            "types.json-foreign", in: .types, "JSON of another shape is an error that names the attribute"
        ) { trial in
            try trial.open(Schema(Settings.self))
            try trial.write { try $0.insert(Settings(id: 1, values: JSON(["a": 1]))) }
            try trial.read { snapshot in
                try expectError(.typeMismatch, entity: "Settings", attributes: ["values"]) {
                    try snapshot.find(ListSettings.self, 1)
                }
                try expectError(.typeMismatch, entity: "Settings", attributes: ["values"]) {
                    try snapshot.fetch(ListSettings.all)
                }
                try expectEqual(try snapshot.count(ListSettings.all), 1)
            }
        },
        ConformanceCase(
            "types.enum-foreign", in: .types, "a raw value that the enum lacks is an error that names the attribute"
        ) { trial in
            try trial.open(Schema(Feeling.self))
            try trial.write {
                try $0.insert(RawFeeling(id: 1, mood: "wild"))
                try $0.insert(RawFeeling(id: 2, mood: "furious"))
            }
            try trial.read { snapshot in
                try expectEqual(try snapshot.find(Feeling.self, 1)?.mood, .wild)
                try expectError(.typeMismatch, entity: "Feeling", attributes: ["mood"]) {
                    try snapshot.find(Feeling.self, 2)
                }
                try expectError(.typeMismatch, entity: "Feeling", attributes: ["mood"]) {
                    let cursor = try Feeling.all.cursor(in: snapshot)
                    while try cursor.next() != nil {}
                }
                try expectEqual(try snapshot.fetch(Feeling.where { $0.mood == .wild }).map(\.id), [1])
                try expectEqual(try snapshot.find(RawFeeling.self, 2)?.mood, "furious")
            }
        },
        ConformanceCase("types.url-absolute", in: .types, "a URL is stored as its absolute string") { trial in
            let base = URL(string: "https://example.com/a/")
            let relative = URL(string: "b?c#d", relativeTo: base)
            try trial.insert([Sample(id: 1, url: relative)])
            try expectEqual(try trial.find(Sample.self, 1)?.url?.absoluteString, "https://example.com/a/b?c#d")
            try expectEqual(try trial.keys(Sample.where { $0.url == URL(string: "https://example.com/a/b?c#d") }), [1])
        },
        ConformanceCase("types.date-zones", in: .types, "distant dates and fractions are exact") { trial in
            let seconds = [
                Date.distantPast.timeIntervalSinceReferenceDate, Date.distantFuture.timeIntervalSinceReferenceDate,
                1.0 / 3, -1.0 / 3, 631_152_000.1, 1e-9, 725_760_000.123_456_789,
            ]
            try trial.insert(
                seconds.enumerated().map { Sample(id: Int64($0), date: Date(timeIntervalSinceReferenceDate: $1)) })
            let back = try trial.fetch(Sample.all).map { $0.date?.timeIntervalSinceReferenceDate.bitPattern }
            try expectEqual(back, seconds.map(\.bitPattern))
        },
        ConformanceCase(
            "types.whole-double", in: .types, "a double or date with a whole value stays one, and compares with others"
        ) { trial in
            try trial.insertTwins([
                Sample(id: 1, float: 3, double: 3, date: Date(timeIntervalSinceReferenceDate: 3)),
                Sample(id: 2, float: 3.5, double: 3.5, date: Date(timeIntervalSinceReferenceDate: 3.5)),
                Sample(id: 3, float: -4, double: 0x1p53, date: Date(timeIntervalSinceReferenceDate: -4)),
            ])
            try trial.read { snapshot in
                try expectEqual(try snapshot.fetch(Sample.all).map(\.double), [3, 3.5, 9_007_199_254_740_992])
                try expectEqual(try snapshot.fetch(IndexedSample.all).map(\.sample.float), [3, 3.5, -4])
                try snapshot.expectTwins(Sample.where { $0.double < 3.25 }, [1])
                try snapshot.expectTwins(Sample.where { $0.date >= Date(timeIntervalSinceReferenceDate: 3) }, [1, 2])
            }
        },
        ConformanceCase(
            "types.all-at-once", in: .types, "a record with every attribute filled, and one with none, come back equal"
        ) { trial in
            let full = Sample(
                id: .min, flag: true, int8: .min, int16: .max, int32: .min, integer: .max, uint8: .max, uint16: .max,
                uint32: .max, uint64: 1 << 62, float: .pi, double: -.infinity, decimal: Boundaries.decimal("-12.50"),
                text: "t\u{E9}xt", data: Data([1, 0, 255]), bytes: [0], date: .distantFuture,
                uuid: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
                url: URL(string: "https://example.com"), mood: .sad, json: JSON(Extra(tags: ["x"], depth: -1)))
            let empty = Sample(id: .max)
            try trial.insert([empty, full])
            try expectEqual(try trial.fetch(Sample.all), [full, empty])
            var (swapped, emptied) = (full, empty)
            (swapped.id, emptied.id) = (.max, .min)
            try trial.write { try $0.update([swapped, emptied]) }
            try expectEqual(try trial.fetch(Sample.all), [emptied, swapped])
        },
    ]
}

/// A dictionary as JSON.
struct Settings: Record, Equatable {
    var id: Int64
    var values: JSON<[String: Int]>?

    init(id: Int64, values: JSON<[String: Int]>?) { (self.id, self.values) = (id, values) }

    static let entityName = "Settings"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [Attribute("id", Int64.self), Attribute("values", JSON<[String: Int]>?.self)],
        indexes: [.index("values")])

    init(row: borrowing Row) throws { self.init(id: try row.decode(at: 0), values: try row.decode(at: 1)) }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(values, at: 1)
    }

    struct Fields: Sendable { let values = Field<Settings, JSON<[String: Int]>?>("values") }
    static let fields = Fields()
}

/// The same entity read with another Swift type.
private struct ListSettings: Record {
    var id: Int64
    var values: JSON<[String]>?

    static let entityName = Settings.entityName
    static let entity = Settings.entity
    static let fields = 0

    init(row: borrowing Row) throws { (id, values) = (try row.decode(at: 0), try row.decode(at: 1)) }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(values, at: 1)
    }
}

/// An enum, required.
private struct Feeling: Record {
    var id: Int64
    var mood: Mood

    static let entityName = "Feeling"
    static let entity = Entity(
        entityName, key: "id", attributes: [Attribute("id", Int64.self), Attribute("mood", Mood.self)])

    init(row: borrowing Row) throws { (id, mood) = (try row.decode(at: 0), try row.decode(at: 1)) }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(mood, at: 1)
    }

    struct Fields: Sendable { let mood = Field<Feeling, Mood>("mood") }
    static let fields = Fields()
}

/// The same entity with any text.
private struct RawFeeling: Record {
    var id: Int64
    var mood: String

    init(id: Int64, mood: String) { (self.id, self.mood) = (id, mood) }

    static let entityName = Feeling.entityName
    static let entity = Feeling.entity
    static let fields = 0

    init(row: borrowing Row) throws { self.init(id: try row.decode(at: 0), mood: try row.decode(at: 1)) }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(mood, at: 1)
    }
}
