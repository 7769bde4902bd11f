import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

var textCases: [ConformanceCase] {
    patternCases + foldedCases
}

// The same texts in an attribute without an index, in one with a plain index and in one with folded indexes.
private let texts: [String?] = [
    "Stra\u{DF}e", "STRASSE", "strasse", "Bj\u{F6}rk", "Bjo\u{308}rk", "bjork", nil, "", "a\0b", "AB", "100%_*?",
]

private struct Texts {
    let snapshot: Snapshot

    static func check(_ trial: Trial, _ texts: [String?] = texts, _ body: (Texts) throws -> Void) throws {
        try trial.open(Schema(Sample.self, IndexedSample.self, Tag.self))
        let samples = texts.enumerated().map { Sample(id: Int64($0 + 1), text: $1) }
        try trial.write { transaction in
            try transaction.insert(samples)
            try transaction.insert(samples.map(IndexedSample.init))
            try transaction.insert(samples.map { Tag(id: $0.id, word: $0.text) })
        }
        try trial.read { try body(Texts(snapshot: $0)) }
    }

    /// Fails unless a pattern finds the texts with these numbers, from 1, and its negation the rest.
    func expect(
        _ kind: TextMatch.Kind, _ pattern: String, _ keys: [Int64], file: String = #fileID, line: Int = #line
    ) throws {
        try expect(kind, pattern, [], keys, file: file, line: line)
    }

    func expect(
        _ kind: TextMatch.Kind, _ pattern: String, _ folding: TextFolding, _ keys: [Int64], file: String = #fileID,
        line: Int = #line
    ) throws {
        let match = TextMatch(kind, pattern, folding)
        let all = try snapshot.fetch(Tag.all).map(\.id)
        for (condition, expected) in [
            (AnyCondition.text(.attribute("text"), match), keys),
            (.not(.text(.attribute("text"), match)), all.filter { !keys.contains($0) }),
        ] {
            try snapshot.expectTwins(Sample.all.where(Condition(condition)), expected, file: file, line: line)
        }
        let tags = Tag.where { _ in Condition(.text(.attribute("word"), match)) }
        try expectEqual(try snapshot.fetch(tags).map(\.id), keys, "\(match)", file: file, line: line)
        try expectEqual(try snapshot.count(tags), keys.count, "count of \(match)", file: file, line: line)
        let rest = try snapshot.fetch(Tag.where { _ in !Condition(.text(.attribute("word"), match)) }).map(\.id)
        try expectEqual(rest, all.filter { !keys.contains($0) }, "not \(match)", file: file, line: line)
    }
}

private var patternCases: [ConformanceCase] {
    [
        ConformanceCase("text.equal", in: .text, "texts are equal byte by byte, or but for case and diacritics") {
            trial in
            try Texts.check(trial) { texts in
                try texts.expect(.equal, "strasse", [3])
                try texts.expect(.equal, "strasse", .caseInsensitive, [1, 2, 3])
                try texts.expect(.equal, "STRA\u{DF}E", .caseInsensitive, [1, 2, 3])
                try texts.expect(.equal, "Bj\u{F6}rk", [4])
                try texts.expect(.equal, "bj\u{F6}rk", .caseInsensitive, [4, 5])
                try texts.expect(.equal, "bjork", .caseInsensitive, [6])
                try texts.expect(.equal, "Bjork", .diacriticInsensitive, [4, 5])
                try texts.expect(.equal, "BJORK", [.caseInsensitive, .diacriticInsensitive], [4, 5, 6])
                try texts.expect(.equal, "", .caseInsensitive, [8])
                try texts.expect(.equal, "A\0B", .caseInsensitive, [9])
            }
        },
        ConformanceCase("text.contains", in: .text, "a text contains another, by bytes or folded") { trial in
            try Texts.check(trial) { texts in
                try texts.expect(.contains, "ss", [3])
                try texts.expect(.contains, "ss", .caseInsensitive, [1, 2, 3])
                try texts.expect(.contains, "\u{F6}", [4])
                try texts.expect(.contains, "\u{F6}", .caseInsensitive, [4, 5])
                try texts.expect(.contains, "o", [5, 6])
                try texts.expect(.contains, "o", .diacriticInsensitive, [4, 5, 6])
                try texts.expect(.contains, "\0", [9])
                try texts.expect(.contains, "", [1, 2, 3, 4, 5, 6, 8, 9, 10, 11])
                try texts.expect(.contains, "%", [11])
                try texts.expect(.contains, "_*", [11])
                try texts.expect(.contains, "none", [])
            }
        },
        ConformanceCase("text.prefix", in: .text, "a text begins with another, by bytes or folded") { trial in
            try Texts.check(trial) { texts in
                try texts.expect(.prefix, "St", [1])
                try texts.expect(.prefix, "st", .caseInsensitive, [1, 2, 3])
                try texts.expect(.prefix, "strass", .caseInsensitive, [1, 2, 3])
                try texts.expect(.prefix, "Bj", [4, 5])
                try texts.expect(.prefix, "Bjo", [5])
                try texts.expect(.prefix, "bjo", [.caseInsensitive, .diacriticInsensitive], [4, 5, 6])
                try texts.expect(.prefix, "a", [9])
                try texts.expect(.prefix, "a", .caseInsensitive, [9, 10])
                try texts.expect(.prefix, "a\0", [9])
                try texts.expect(.prefix, "100%", [11])
                try texts.expect(.prefix, "", [1, 2, 3, 4, 5, 6, 8, 9, 10, 11])
            }
        },
        ConformanceCase("text.suffix", in: .text, "a text ends with another, by bytes or folded") { trial in
            try Texts.check(trial) { texts in
                try texts.expect(.suffix, "e", [1, 3])
                try texts.expect(.suffix, "E", .caseInsensitive, [1, 2, 3])
                try texts.expect(.suffix, "rk", [4, 5, 6])
                try texts.expect(.suffix, "ork", .diacriticInsensitive, [4, 5, 6])
                try texts.expect(.suffix, "\0b", [9])
                try texts.expect(.suffix, "*?", [11])
                try texts.expect(.suffix, "", [1, 2, 3, 4, 5, 6, 8, 9, 10, 11])
            }
        },
        ConformanceCase("text.like", in: .text, "wildcards stand for one scalar and for any number") { trial in
            try Texts.check(trial) { texts in
                try texts.expect(.like, "St*", [1])
                try texts.expect(.like, "st*", .caseInsensitive, [1, 2, 3])
                try texts.expect(.like, "?????", [4, 6])
                try texts.expect(.like, "?????", .diacriticInsensitive, [4, 5, 6])
                try texts.expect(.like, "bj?rk", [.caseInsensitive], [4, 5, 6])
                try texts.expect(.like, "*\\*\\?", [11])
                try texts.expect(.like, "*%_*", [11])
                try texts.expect(.like, "a?b", [9])
                try texts.expect(.like, "", [8])
                try texts.expect(.like, "*", [1, 2, 3, 4, 5, 6, 8, 9, 10, 11])
                try texts.expect(.like, "*s*s*", [3])
                try texts.expect(.like, "AB", [10])
            }
        },
        ConformanceCase("text.matches", in: .text, "a regular expression matches whole texts") { trial in
            try Texts.check(trial) { texts in
                try texts.expect(.matches, "[A-Z]+", [2, 10])
                try texts.expect(.matches, "(?i)strasse", [1, 2, 3])
                try texts.expect(.matches, "strasse", .caseInsensitive, [1, 2, 3])
                try texts.expect(.matches, "Bj.rk", [4])
                try texts.expect(.matches, "bj(o|\u{F6})rk", .caseInsensitive, [4, 5, 6])
                try texts.expect(.matches, "bj.rk", [.caseInsensitive, .diacriticInsensitive], [4, 5, 6])
                try texts.expect(.matches, "a.b", [9])
                try texts.expect(.matches, "", [8])
                try texts.expect(.matches, "\\d{3}%_\\*\\?", [11])
                try texts.expect(.matches, ".*", [1, 2, 3, 4, 5, 6, 8, 9, 10, 11])
                try texts.expect(.matches, "ra", [])
            }
        },
        ConformanceCase("text.expressions", in: .text, "patterns are asked of expressions and at the end of paths") {
            trial in
            let shop = try Shop(trial)
            try shop.songs([1, 2, 3]) { $0.album.title.hasPrefix("Al") }
            try shop.songs([1, 2]) { $0.genre.label.contains("ock") }
            try shop.songs([3, 4, 5, 6]) { !$0.genre.label.contains("ock") }
            try shop.songs([5, 6]) { $0.album.artist.label.equals("BO", .caseInsensitive) }
            try shop.songs([1, 2, 4, 6]) { ($0.genre.label ?? "rocky").hasPrefix("R", .caseInsensitive) }
            try shop.songs([1]) { $0.title.folded(.caseInsensitive).hasPrefix("ab") }
            try shop.songs([1]) { $0.title.folded(.caseInsensitive) == "able" }
            try shop.songs([2, 3, 4, 5, 6]) { $0.title.folded(.caseInsensitive) > "able" }
            try shop.expect(Album.where { $0.songs.contains { $0.title.like("?e*") } }, [1])
            try shop.expect(Album.where { $0.songs.maximum { $0.title.folded(.caseInsensitive) } == "cloud" }, [1])
        },
        ConformanceCase("text.patterns-are-text", in: .text, "quotes and signs of query languages are only text") {
            trial in
            let texts = ["'", "''", "\"", "%", "_", "\\", "\\%", "*", "?", "[a]", "$1", ":x", "; --"]
            try Texts.check(trial, texts) { checked in
                for (position, text) in texts.enumerated() {
                    let itself = [Int64(position + 1)]
                    try checked.expect(.equal, text, .caseInsensitive, itself)
                    let holding = texts.indices.filter { texts[$0].contains(text) }.map { Int64($0 + 1) }
                    try checked.expect(.contains, text, holding)
                }
                try checked.expect(.like, "\\*", [8])
                try checked.expect(.like, "\\\\", [6])
                try checked.expect(.matches, "\\[a\\]", [10])
            }
        },
        ConformanceCase("text.invalid-patterns", in: .text, "a pattern that is none is an error, also of no records") {
            trial in
            let shop = try Shop(trial, filled: false)
            try shop.write { try $0.insert([Genre(id: 1, label: "a")]) }
            for pattern in ["(", "a{2,1}", "[", "\\", "(?<=a)b"] {
                try shop.expectFailure(.invalidQuery, of: Genre.where { $0.label.matches(pattern) })
            }
            try shop.expectFailure(.invalidQuery, of: Genre.where { $0.label.like("\\") })
        },
        ConformanceCase("text.long", in: .text, "patterns are found in texts of 10 000 scalars", modes: [.fresh]) {
            trial in
            try checkLong(trial, 10_000)
        },
        ConformanceCase(
            "text.longest", in: .text, "patterns are found in texts of 100 000 scalars", isHeavy: true, modes: [.fresh]
        ) { trial in
            try checkLong(trial, 100_000)
        },
    ]
}

private func checkLong(_ trial: Trial, _ count: Int) throws {
    let long = String(repeating: "\u{E9}", count: count)
    try Texts.check(trial, [long + "x", "x" + long, long + "\0x", long]) { texts in
        try texts.expect(.contains, "x", [1, 2, 3])
        try texts.expect(.suffix, "X", .caseInsensitive, [1, 3])
        try texts.expect(.suffix, "ex", .diacriticInsensitive, [1])
        try texts.expect(.prefix, String(long.dropLast()), [1, 3, 4])
        try texts.expect(.prefix, long + "x", [1])
        try texts.expect(.like, "*\u{E9}x", [1])
        try texts.expect(.matches, "\u{E9}+", [4])
        try texts.expect(.equal, long + "X", .caseInsensitive, [1])
    }
}

private var foldedCases: [ConformanceCase] {
    [
        ConformanceCase("text.folded-order", in: .text, "texts are ordered as they are folded, ties by key") { trial in
            try Texts.check(trial, ["b", "A", "a", "B", nil, "\u{E1}", "\u{C1}", "c", "S", "\u{DF}"]) { texts in
                let snapshot = texts.snapshot
                func keys(_ folding: TextFolding, _ direction: SortDirection = .ascending) throws -> [Int64] {
                    let query = Sample.sorted(by: { $0.text.folded(folding) }, direction)
                    let keys = try snapshot.twinKeys(query)
                    let tags = try snapshot.fetch(Tag.sorted(by: { $0.word.folded(folding) }, direction)).map(\.id)
                    try expectEqual(tags, keys, "with folded indexes")
                    let first = try snapshot.fetch(Tag.sorted(by: { $0.word.folded(folding) }, direction).limit(3))
                    try expectEqual(first.map(\.id), Array(keys.prefix(3)), "the first of them")
                    return keys
                }
                try expectEqual(try keys(.caseInsensitive), [5, 2, 3, 1, 4, 8, 9, 10, 6, 7])
                try expectEqual(try keys(.caseInsensitive, .descending), [7, 6, 10, 9, 8, 4, 1, 3, 2, 5])
                try expectEqual(
                    try keys([.caseInsensitive, .diacriticInsensitive]), [5, 2, 3, 6, 7, 1, 4, 8, 9, 10])
                try expectEqual(try keys(.diacriticInsensitive), [5, 2, 7, 4, 9, 3, 6, 1, 8, 10])
                try expectEqual(try keys([]), [5, 2, 4, 9, 3, 1, 8, 7, 10, 6])
            }
        },
        ConformanceCase("text.folded-ranges", in: .text, "folded texts compare with values, and are grouped in lists") {
            trial in
            try Texts.check(trial) { texts in
                let snapshot = texts.snapshot
                func expect(_ keys: [Int64], _ condition: (Computed<Tag, String?>) -> Condition<Tag>) throws {
                    let folded = Tag.fields.word.folded(.caseInsensitive)
                    try expectEqual(try snapshot.fetch(Tag.where { _ in condition(folded) }).map(\.id), keys)
                    let rest = (1...11).filter { !keys.contains($0) }
                    try expectEqual(try snapshot.fetch(Tag.where { _ in !condition(folded) }).map(\.id), rest)
                }
                try expect([1, 2, 3]) { $0 == "strasse" }
                try expect([]) { $0 == "Strasse" }
                try expect([1, 2, 3, 7]) { $0.in(["strasse", nil, "x"]) }
                try expect([4, 5, 6, 9, 10]) { $0 >= "a" && $0 < "c" }
                try expect([1, 2, 3]) { $0 > "bz" }
                try expect([7]) { $0 == nil }
            }
        },
        ConformanceCase(
            "text.folded-unique", in: .text, "a folded unique index holds texts apart that differ in case alone"
        ) {
            trial in
            try trial.open(SuiteSchema.shop)
            try trial.insert([
                Tag(id: 1, label: "Rock"), Tag(id: 2), Tag(id: 3), Tag(id: 4, label: "Stra\u{DF}e"),
                Tag(id: 5, label: "\u{E9}"),
            ])
            try trial.write { transaction in
                for label in ["ROCK", "rock", "Rock", "STRASSE", "e\u{301}", "\u{C9}"] {
                    try expectError(.uniqueness, entity: "Tag", attributes: ["label"]) {
                        try transaction.insert(Tag(id: 9, label: label))
                    }
                    try expectError(.uniqueness, entity: "Tag", attributes: ["label"]) {
                        try transaction.update(Tag(id: 2, label: label))
                    }
                }
                try expectError(.uniqueness, entity: "Tag") {
                    try Tag.where { $0.id.in(2...3) }.updateAll(in: transaction) { $0.set(\.label, to: "new") }
                }
                try transaction.update(Tag(id: 1, label: "ROCK"))
                try transaction.upsert(Tag(id: 4, label: "strasse"))
                try transaction.insert([Tag(id: 6, label: "e"), Tag(id: 7, label: "Rock "), Tag(id: 8)])
            }
            try expectEqual(
                try trial.fetch(Tag.all).map(\.label), ["ROCK", nil, nil, "strasse", "\u{E9}", "e", "Rock ", nil])
            try trial.write { transaction in
                try transaction.delete(Tag.self, 1)
                try transaction.insert(Tag(id: 9, label: "rOCK"))
            }
            try expectEqual(try trial.keys(Tag.where { $0.label.equals("rock", .caseInsensitive) }), [9])
        },
        ConformanceCase("text.folded-changes", in: .text, "folded indexes follow updates and deletions") { trial in
            try trial.open(SuiteSchema.shop)
            try trial.insert((1...6).map { Tag(id: $0, word: $0 % 2 == 0 ? "\u{C9}t\u{E9}" : "ete") })
            let both: TextFolding = [.caseInsensitive, .diacriticInsensitive]
            try expectEqual(try trial.keys(Tag.where { $0.word.equals("ETE", both) }), [1, 2, 3, 4, 5, 6])
            try expectEqual(try trial.keys(Tag.where { $0.word.equals("\u{E9}t\u{E9}", .caseInsensitive) }), [2, 4, 6])
            try trial.write { transaction in
                try transaction.update(Tag(id: 2, word: "ETE"))
                try transaction.delete(Tag.self, 4)
                try expectEqual(
                    try Tag.where { $0.word == "ete" }.updateAll(in: transaction) { $0.set(\.word, to: nil) }, 3)
            }
            try expectEqual(try trial.keys(Tag.where { $0.word.equals("ete", both) }), [2, 6])
            try expectEqual(try trial.keys(Tag.where { $0.word.hasPrefix("et", .caseInsensitive) }), [2])
            try expectEqual(try trial.keys(Tag.where { !$0.word.hasPrefix("et", both) }), [1, 3, 5])
            try expectEqual(try trial.keys(Tag.sorted(by: { $0.word.folded(both) }, .descending)), [6, 2, 5, 3, 1])
        },
    ]
}
