import GranaryStoreKit
import TestSupport

/// Random documents and questions over few words, many of which begin alike.
struct RandomWords {
    var generator: SeededNumbers
    let form: DocumentKeyForm
    static let vocabulary: [[UInt8]] = {
        var words: [[UInt8]] = []
        for first in ["a", "ab", "abc", "b", "ba", "né", "z\u{1}"] {
            for last in ["", "x", "y", "xx", "ÿ"] { words.append(Array((first + last).utf8)) }
        }
        return words + [[UInt8](repeating: 120, count: 128)]
    }()

    init(seed: UInt64, form: DocumentKeyForm) {
        generator = SeededNumbers(seed: seed)
        self.form = form
    }

    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    mutating func word() -> [UInt8] {
        // The first words are much commoner.
        RandomWords.vocabulary[below(1 + below(1 + below(RandomWords.vocabulary.count)))]
    }

    mutating func key(_ count: Int) -> [UInt8] {
        let number = below(count)
        switch form {
        case .integers:
            let integer = Int64(number) * (number % 3 == 0 ? -1 : 1) * (number % 7 == 0 ? 1 << 40 : 1)
            let bits = UInt64(bitPattern: integer) ^ 1 << 63
            return withUnsafeBytes(of: bits.bigEndian) { Array($0) }
        case .bytes:
            if number == 0 { return [] }
            let bytes = Array("key \(number % 10) \(number)".utf8)
            return number % 5 == 0 ? bytes + [UInt8](repeating: UInt8(number % 3), count: number % 60) : bytes
        }
    }

    mutating func document() -> [PlacedWord] {
        var words: [PlacedWord] = []
        for slot in 0..<(1 + below(3)) where below(4) > 0 {
            var position = 0
            for _ in 0..<below(9) {
                words.append(PlacedWord(word: word(), slot: slot * 3 % 4, position: position))
                position += below(10) == 0 ? 1 + below(300) : 1
            }
        }
        return words
    }

    mutating func question() -> IndexQuestion {
        var terms: [IndexQuestion.Term] = []
        for _ in 0..<(1 + below(4)) {
            let count = below(3) == 0 ? 2 + below(2) : 1
            var words = (0..<count).map { _ in word() }
            let isPrefix = below(4) == 0
            if isPrefix, below(2) == 0, let last = words.popLast() { words.append(Array(last.prefix(1))) }
            terms.append(
                IndexQuestion.Term(
                    words: words, isPrefix: isPrefix, slots: below(5) == 0 ? [below(4), below(4)] : nil,
                    distance: below(2) == 0 ? below(6) : nil))
        }
        return IndexQuestion(terms: terms, tree: tree(terms.count, depth: 3))
    }

    private mutating func tree(_ terms: Int, depth: Int) -> IndexQuestion.Tree {
        if depth == 0 { return .term(below(terms)) }
        switch below(9) {
        case 0...2: return .term(below(terms))
        case 3...4: return .any((0..<(1 + below(3))).map { _ in tree(terms, depth: depth - 1) })
        case 5...6: return .all((0..<(1 + below(3))).map { _ in tree(terms, depth: depth - 1) })
        case 7:
            let negative = tree(terms, depth: depth - 1)
            return .all([.not(negative), tree(terms, depth: depth - 1)])
        default: return below(4) == 0 ? .nothing : .not(.not(.term(below(terms))))
        }
    }
}
