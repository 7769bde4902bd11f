import Testing
import GranaryStoreKit

struct SuggestionTests {
    private func reader(_ texts: [String]) throws -> WordIndexReader {
        let blocks = MemoryBlocks()
        let writer = try WordIndexWriter(blocks, index: 1, WordIndexOptions(keys: .bytes))
        for (number, text) in texts.enumerated() {
            let words = text.split(separator: " ").enumerated().map {
                PlacedWord(word: Array($1.utf8), slot: 0, position: $0)
            }
            try writer.add([UInt8(number)], WordModel.words(words))
        }
        try writer.flush()
        return try WordIndexReader(blocks, index: 1)
    }

    private func text(_ suggestions: [TermSuggestion]) -> String {
        suggestions.map { "\(String(decoding: $0.term, as: UTF8.self)) \($0.distance) \($0.documents)" }
            .joined(separator: ", ")
    }

    @Test func `the commonest terms with a prefix come first`() throws {
        let reader = try reader(["cat car", "car cart", "car cat dog", "cot", "care"])
        #expect(text(try reader.suggestions(prefix: Array("ca".utf8), limit: 3)) == "car 0 3, cat 0 2, care 0 1")
        #expect(text(try reader.suggestions(prefix: [], limit: 2)) == "car 0 3, cat 0 2")
        #expect(try reader.suggestions(prefix: Array("x".utf8), limit: 2) == [])
        #expect(try reader.suggestions(prefix: [], limit: 0) == [])
    }

    @Test func `corrections are ordered by distance, then by documents`() throws {
        let reader = try reader(["house mouse", "house horse", "hose", "élan", "zhouse", "mouse", "hsoue", "houses"])
        #expect(
            text(try reader.corrections(of: Array("huose".utf8), limit: 9))
                == "house 1 2, hose 1 1, mouse 2 2, horse 2 1, houses 2 1, hsoue 2 1, zhouse 2 1")
        #expect(text(try reader.corrections(of: Array("elan".utf8), distance: 1, limit: 9)) == "élan 1 1")
        #expect(text(try reader.corrections(of: Array("house".utf8), distance: 0, limit: 9)) == "house 0 2")
        #expect(try reader.corrections(of: [], limit: 9) == [])
    }

    @Test func `distances are those of the plain recursion`() throws {
        let letters = ["a", "b", "é"]
        var words = [""]
        var all: [String] = []
        for _ in 0..<4 {
            words = words.flatMap { word in letters.map { word + $0 } }
            all += words
        }
        for word in all where word.count == 3 {
            let blocks = try reader([all.joined(separator: " ")])
            let found = try blocks.corrections(of: Array(word.utf8), limit: 1000)
            let expected = all.filter { SuggestionTests.distance(Array(word), Array($0)) <= 2 }
            #expect(Set(found.map { String(decoding: $0.term, as: UTF8.self) }) == Set(expected), "\(word)")
        }
    }

    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
        let (first, second) = (Array(left.dropLast()), Array(right.dropLast()))
        if left.last == right.last { return distance(first, second) }
        var best = min(distance(first, second), distance(first, right), distance(left, second)) + 1
        if left.count > 1, right.count > 1, left[left.count - 2] == right.last, left.last == right[right.count - 2] {
            best = min(best, distance(Array(first.dropLast()), Array(second.dropLast())) + 1)
        }
        return best
    }
}
