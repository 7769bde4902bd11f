import ConformanceKit
import GranaryCore

/// Breaks a rule for texts with the word that is the name of the fault, and else finds words by the default rules.
protocol BrokenTokenizer: WordTokenizer {
    init()
    func breakRule(_ text: String, _ found: WordFinding) throws
}

extension BrokenTokenizer {
    static var version: Int { 1 }

    mutating func findWords(in text: String, _ found: WordFinding) throws {
        if text.contains("wrong") { return try breakRule(text, found) }
        try text.findWords(found)
    }
}

private struct Throwing: BrokenTokenizer {
    static let name = "throwing"
    struct Fault: Error {}
    func breakRule(_ text: String, _ found: WordFinding) throws {
        try found("some", text.startIndex..<text.endIndex)
        throw Fault()
    }
}

private struct Endless: BrokenTokenizer {
    static let name = "endless"
    func breakRule(_ text: String, _ found: WordFinding) throws {
        var number = 0
        while true {
            number += 1
            try found("word\(number)", text.startIndex..<text.endIndex)
        }
    }
}

/// Goes on after errors until there are many.
private struct Deaf: BrokenTokenizer {
    static let name = "deaf"
    func breakRule(_ text: String, _ found: WordFinding) throws {
        for number in 0..<1_000 { try? found("word\(number)", text.startIndex..<text.endIndex) }
    }
}

private struct Beyond: BrokenTokenizer {
    static let name = "beyond"
    func breakRule(_ text: String, _ found: WordFinding) throws {
        let longer = text + " and much more"
        try found("more", longer.index(longer.endIndex, offsetBy: -4)..<longer.endIndex)
    }
}

private struct Nowhere: BrokenTokenizer {
    static let name = "nowhere"
    func breakRule(_ text: String, _ found: WordFinding) throws {
        try found("word", text.startIndex..<text.startIndex)
    }
}

private struct Backwards: BrokenTokenizer {
    static let name = "backwards"
    func breakRule(_ text: String, _ found: WordFinding) throws {
        try found("end", text.index(before: text.endIndex)..<text.endIndex)
        try found("start", text.startIndex..<text.index(after: text.startIndex))
    }
}

private struct Zero: BrokenTokenizer {
    static let name = "zero"
    func breakRule(_ text: String, _ found: WordFinding) throws {
        try found("a\u{0}b", text.startIndex..<text.endIndex)
    }
}

/// Several words for one place, words without letters, and long ones.
private struct Compounds: WordTokenizer {
    static let name = "compounds"
    static let version = 1

    mutating func findWords(in text: String, _ found: WordFinding) throws {
        try text.findWords { word, place in
            try found(word, place)
            try found(word, place)
            try found("", place)
            try found("\u{301}", place)
            for part in word.split(separator: "_") { try found(String(part), place) }
        }
        if let sign = text.firstIndex(of: "#") {
            try found(String(repeating: "#", count: 5_000), sign..<text.index(after: sign))
        }
    }
}

private struct Unnamed: WordTokenizer {
    static let name = "no name"
    static let version = 1
    mutating func findWords(in text: String, _ found: WordFinding) throws {}
}

private struct Negative: WordTokenizer {
    static let name = "negative"
    static let version = -1
    mutating func findWords(in text: String, _ found: WordFinding) throws {}
}

private struct Impostor: WordTokenizer {
    static let name = Stems.name
    static let version = 1
    mutating func findWords(in text: String, _ found: WordFinding) throws {}
}

private struct Unmade: WordTokenizer {
    static let name = "unmade"
    static let version = 1
    init() throws { throw Throwing.Fault() }
    mutating func findWords(in text: String, _ found: WordFinding) throws {}
}

private func broken<Tokenizer: BrokenTokenizer>(_ type: Tokenizer.Type) -> ConformanceCase {
    ConformanceCase(
        "search.tokenizer-\(Tokenizer.name)", in: .search, "a tokenizer that breaks a rule loses nothing",
        modes: [.fresh]
    ) { trial in
        try trial.open(poems(WordRules(Tokenizer.self)))
        func insert(_ id: Int64, _ title: String) throws {
            try trial.write { tx in
                _ = try tx.insert(made("Poem", in: tx.schema, ["id": .integer(id), "title": .string(title)]))
            }
        }
        func check(_ error: GranaryError) throws {
            try expectEqual(error.code, .tokenizerFailed)
            try expect(error.message.contains("\"\(Tokenizer.name)\""), error.message)
        }
        try insert(1, "right words")
        var isWritten = true
        do {
            try insert(2, "wrong words")
        } catch let error as GranaryError {
            try check(error)
            isWritten = false
        }
        try expectEqual(try trial.stack.blocking.read { try $0.count(Request("Poem")) }, isWritten ? 2 : 1)
        if isWritten {
            // A store without an index of words: the words of records are found when they are searched.
            try check(try expectError(.tokenizerFailed, isOwnText: true) { try poemKeys(trial.stack, "words") })
            try trial.write { _ = try $0.delete("Poem", 2) }
        }
        try check(try expectError(.tokenizerFailed) { try poemKeys(trial.stack, "wrong") })
        try insert(3, "more words")
        try expectEqual(try poemKeys(trial.stack, "words"), [1, 3])
        try expectEqual(try trial.stack.blocking.verify(), [])
    }
}

var brokenTokenizerCases: [ConformanceCase] {
    [
        broken(Throwing.self), broken(Endless.self), broken(Deaf.self), broken(Beyond.self), broken(Nowhere.self),
        broken(Backwards.self), broken(Zero.self),
        ConformanceCase(
            "search.tokenizer-unmade", in: .search, "a tokenizer that cannot be made loses nothing", modes: [.fresh]
        ) { trial in
            try trial.open(poems(WordRules(Unmade.self)))
            let error = try expectError(.tokenizerFailed) { try poemKeys(trial.stack, "words") }
            try expect(error.message.contains("unmade"), error.message)
            try expectEqual(try trial.stack.blocking.read { try $0.count(Request("Poem")) }, 0)
        },
        ConformanceCase("search.tokenizer-places", in: .search, "several words may begin at one place") { trial in
            try trial.open(poems(WordRules(Compounds.self)))
            try trial.write { tx in
                for (id, title) in [(1, "fire_place warm"), (2, "place warm"), (3, "warm #"), (4, "#")]
                    as [(Int64, String)]
                {
                    _ = try tx.insert(made("Poem", in: tx.schema, ["id": .integer(id), "title": .string(title)]))
                }
            }
            func expect(_ search: String, _ keys: [Int64], line: Int = #line) throws {
                if trial.mode == .reopened { try trial.reopen() }
                try expectEqual(try poemKeys(trial.stack, search), keys, search, line: line)
            }
            try expect("fire", [1])
            try expect("place", [1, 2])
            try expect("fire_place", [1])
            try expect("\"place warm\"", [1, 2])
            try expect("\"fire warm\"", [1])
            try expect("pla*", [1, 2])
            try expect("f*", [1])
            try expect("NEAR(fire place, 5)", [])
            try expect("\"warm #\"", [3])
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase("search.tokenizer-names", in: .search, "wrong names and versions of tokenizers are refused") {
            _ in
            func refused(_ rules: WordRules, _ words: String, line: Int = #line) throws {
                let error = try expectError(.invalidSchema, line: line) { try poems(rules).validate() }
                try expect(error.message.contains(words), error.message, line: line)
            }
            try refused(WordRules(Unnamed.self), "no name")
            try refused(WordRules(Negative.self), "version")
            var other = Poem.entity
            (other.name, other.words) = ("Other", WordRules(Impostor.self))
            let error = try expectError(.invalidSchema) { try Schema(entities: [Poem.entity, other]).validate() }
            try expect(error.message.contains(Stems.name), error.message)
        },
    ]
}
