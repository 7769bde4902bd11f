import Testing

@testable import GranaryText
import TestSupport

/// A small regular expression as a tree, its spelling, and a matcher by trying all ways.
private indirect enum Expression {
    case letter(Character)
    case any
    case oneOf([Character], isNegated: Bool)
    case start
    case end
    case boundary
    case joined(Expression, Expression)
    case either(Expression, Expression)
    case repeated(Expression, Int, Int?)

    static func random(_ depth: Int, _ numbers: inout SeededNumbers) -> Expression {
        let letters: [Character] = ["a", "b", "é"]
        let choice = Int.random(in: 0..<(depth == 0 ? 8 : 14), using: &numbers)
        switch choice {
        case 0...3: return .letter(letters.randomElement(using: &numbers) ?? "a")
        case 4: return .any
        case 5:
            return .oneOf(Array(letters.shuffled(using: &numbers).prefix(2)), isNegated: Bool.random(using: &numbers))
        case 6: return Bool.random(using: &numbers) ? .start : .end
        case 7: return Bool.random(using: &numbers) ? .boundary : .letter(" ")
        case 8, 9, 10: return .joined(random(depth - 1, &numbers), random(depth - 1, &numbers))
        case 11: return .either(random(depth - 1, &numbers), random(depth - 1, &numbers))
        default:
            let minimum = Int.random(in: 0...2, using: &numbers)
            let maximum = Bool.random(using: &numbers) ? nil : minimum + Int.random(in: 0...2, using: &numbers)
            return .repeated(random(depth - 1, &numbers), minimum, maximum)
        }
    }

    var spelling: String {
        switch self {
        case .letter(let letter): "\(letter)"
        case .any: "."
        case .oneOf(let letters, let isNegated): "[\(isNegated ? "^" : "")\(String(letters))]"
        case .start: "^"
        case .end: "$"
        case .boundary: "\\b"
        case .joined(let first, let second): first.spelling + second.spelling
        case .either(let first, let second): "(\(first.spelling)|\(second.spelling))"
        case .repeated(let inner, 0, nil): "(\(inner.spelling))*"
        case .repeated(let inner, let minimum, let maximum):
            "(?:\(inner.spelling)){\(minimum),\(maximum.map(String.init) ?? "")}"
        }
    }

    /// All places at which a match that begins at a place may end.
    func ends(_ text: [Character], from place: Int) -> Set<Int> {
        func isWord(_ index: Int) -> Bool { text.indices.contains(index) && text[index] != " " }
        switch self {
        case .letter(let letter): return place < text.count && text[place] == letter ? [place + 1] : []
        case .any: return place < text.count ? [place + 1] : []
        case .oneOf(let letters, let isNegated):
            return place < text.count && letters.contains(text[place]) != isNegated ? [place + 1] : []
        case .start: return place == 0 ? [place] : []
        case .end: return place == text.count ? [place] : []
        case .boundary: return isWord(place - 1) != isWord(place) ? [place] : []
        case .joined(let first, let second):
            return first.ends(text, from: place).reduce(into: []) { $0.formUnion(second.ends(text, from: $1)) }
        case .either(let first, let second):
            return first.ends(text, from: place).union(second.ends(text, from: place))
        case .repeated(let inner, let minimum, let maximum):
            var reached: Set<Int> = [place]
            for _ in 0..<minimum {
                reached = reached.reduce(into: []) { $0.formUnion(inner.ends(text, from: $1)) }
            }
            // More rounds than the text has places reach nothing new.
            for _ in 0..<(maximum.map { $0 - minimum } ?? text.count + 1) {
                reached = reached.reduce(into: reached) { $0.formUnion(inner.ends(text, from: $1)) }
            }
            return reached
        }
    }
}

struct RandomExpressionTests {
    @Test func `random expressions match what trying all ways matches`() throws {
        var numbers = SeededNumbers(seed: TestSeed.of(41))
        var matched = 0
        for _ in 0..<4_000 {
            let expression = Expression.random(4, &numbers)
            let matcher = try TextMatcher(TextMatch(.matches, expression.spelling))
            for _ in 0..<8 {
                let text: [Character] = (0..<Int.random(in: 0...6, using: &numbers)).map { _ in
                    ["a", "a", "b", "é", " "].randomElement(using: &numbers) ?? "a"
                }
                let expected = expression.ends(text, from: 0).contains(text.count)
                let found = try matches(matcher, Array(String(text).utf8))
                #expect(found == expected, "\(expression.spelling) on \(String(text))")
                if expected { matched += 1 }
            }
        }
        #expect(matched > 1_000)
    }
}
