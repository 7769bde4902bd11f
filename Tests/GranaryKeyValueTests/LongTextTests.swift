import GranaryCore
import Testing

@testable import GranaryKeyValue
import TestSupport

private let word = Entity(
    "Word", key: "text",
    attributes: [Attribute("text", .string), Attribute("other", .string, isOptional: true), Attribute("n", .int64)],
    indexes: [.unique("other"), .index("other", "n"), .index("n")])

@Suite struct LongTextTests {
    private let long = String(repeating: "a", count: 10_000)

    private func filled() throws -> (KeyValueStore, [[Value]]) {
        let store = try newStore(word)
        var rows: [[Value]] = []
        var number: Int64 = 0
        for length in [0, 5, 161, 162, 163, 164, 200, 271, 272, 273, 300, 10_000] {
            for end in ["", "a", "b", "\0", "zz", "é"] {
                let text = String(repeating: "a", count: length) + end
                if rows.contains(where: { $0[0] == text.value }) { continue }
                rows.append([text.value, (text + "!").value, .integer(number % 4)])
                number += 1
            }
        }
        try store.write { writer in for row in rows.reversed() { try writer.insert(row) } }
        return (store, rows.sorted { $0[0] < $1[0] })
    }

    @Test func `long keys are found, unique and in order`() throws {
        let (store, rows) = try filled()
        try store.read { reader in
            try #expect(reader.keys(request()) == rows.map { $0[0] })
            try #expect(
                reader.keys(request(order: [(0, true)], limit: 9, offset: 2))
                    == Array(rows.reversed().map { $0[0] }.dropFirst(2).prefix(9)))
            for row in rows { try #expect(reader.find(row[0], count: 3) == row) }
            try #expect(reader.find((long + "c").value, count: 3) == nil)
        }
        try store.write { writer in
            for row in rows { #expect(code { try writer.insert([row[0], nil, 1]) } == .uniqueness) }
        }
        #expect(try store.verify() == [])
    }

    @Test func `a text that fills the key of an index hides nothing of the attribute after it`() throws {
        let line = Entity(
            "Line", key: "id",
            attributes: [
                Attribute("id", .int64), Attribute("text", .string), Attribute("n", .int64, isOptional: true),
            ],
            indexes: [.index("text", "n")])
        let store = try newStore(line)
        // The encoded text has three bytes more. The limit is 274.
        for count in Int64(255)...280 {
            let text = String(repeating: "a", count: Int(count))
            try store.write { writer in
                try writer.insert([.integer(count), text.value, 7])
                try writer.insert([.integer(-count), text.value, nil])
            }
            let isText = ResolvedCondition.compare(position: 1, .equal, text.value)
            try store.read { reader in
                for condition: ResolvedCondition in [
                    .compare(position: 2, .greater, 1), .compare(position: 2, .lessOrEqual, 7),
                    .compare(position: 2, .equal, 7), .compare(position: 2, .notEqual, nil),
                    .among(position: 2, [6, 7]),
                ] {
                    let asked = request(0, .all([isText, condition]))
                    try #expect(reader.keys(asked) == [.integer(count)], "\(count) letters, \(condition)")
                    try #expect(reader.count(asked) == 1, "\(count) letters, \(condition)")
                }
                let absent = request(0, .all([isText, .compare(position: 2, .equal, nil)]))
                try #expect(reader.keys(absent) == [.integer(-count)], "\(count) letters")
                try #expect(
                    reader.keys(request(0, isText, order: [(2, false)])) == [.integer(-count), .integer(count)])
            }
        }
    }

    @Test func `long values are unique and in order in an index`() throws {
        let (store, rows) = try filled()
        let byOther = rows.sorted { $0[1] < $1[1] }
        try store.read { reader in
            try #expect(
                reader.explain(request(order: [(1, false)], limit: 5)).lines == ["scan Word using other until 5 found"])
            try #expect(reader.keys(request(order: [(1, false)])) == byOther.map { $0[0] })
            try #expect(
                reader.keys(request(order: [(1, true)], limit: 30)) == byOther.reversed().prefix(30).map { $0[0] })
            try #expect(reader.keys(request(order: [(1, false), (2, false)])) == byOther.map { $0[0] })
            for row in rows {
                try #expect(reader.keys(request(0, .compare(position: 1, .equal, row[1]))) == [row[0]])
                for comparison in [Comparison.less, .lessOrEqual, .greater, .greaterOrEqual] {
                    let expected = byOther.filter {
                        switch comparison {
                        case .less: $0[1] < row[1]
                        case .lessOrEqual: $0[1] <= row[1]
                        case .greater: $0[1] > row[1]
                        default: $0[1] >= row[1]
                        }
                    }
                    let asked = request(0, .compare(position: 1, comparison, row[1]), order: [(1, false)])
                    try #expect(reader.keys(asked) == expected.map { $0[0] })
                    try #expect(reader.count(asked) == expected.count)
                }
            }
            let several = rows.map { $0[1] }.sorted()
            try #expect(
                reader.keys(request(0, .among(position: 1, several), order: [(1, false)])) == byOther.map { $0[0] })
        }
        try store.write { writer in
            for row in rows { #expect(code { try writer.insert([.string("new"), row[1], 1]) } == .uniqueness) }
            try writer.insert(["new", (long + "!!").value, 1])
        }
    }

    @Test func `rows with equal values are in the order of their long keys`() throws {
        let (store, rows) = try filled()
        try store.read { reader in
            for descending in [false, true] {
                let expected = rows.sorted { ($0[2], $0[0]) < ($1[2], $1[0]) }.map { $0[0] }
                try #expect(
                    reader.keys(request(order: [(2, descending)], limit: 1000))
                        == (descending ? expected.reversed() : expected))
            }
        }
    }
}
