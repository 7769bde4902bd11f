import Testing

@testable import GranaryText

@Suite struct WordScannerTests {
    /// The words, without the last characters of runs of pairs.
    private func words(_ bytes: [UInt8]) -> [Range<Int>] {
        var words: [Range<Int>] = []
        for word in allWords(bytes) where word.upperBound != words.last?.upperBound { words.append(word) }
        return words
    }

    private func allWords(_ bytes: [UInt8]) -> [Range<Int>] {
        bytes.withUnsafeBytes { utf8 in
            var scanner = WordScanner(utf8)
            var words: [Range<Int>] = []
            while let word = scanner.next() { words.append(word) }
            return words
        }
    }

    private func words(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return words(bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    @Test func `words are those of the default rules of Unicode`() throws {
        let cases = wordBreakCases.split(whereSeparator: \.isWhitespace)
        #expect(cases.count == 400)
        for line in cases {
            let parts = line.split(separator: "=", omittingEmptySubsequences: false)
            let scalars = try parts[0].split(separator: ".").map {
                try #require(UInt32($0, radix: 16).flatMap(Unicode.Scalar.init))
            }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            let expected = parts[1].split(separator: ",").map { range in
                let ends = range.split(separator: "-").map { Int($0) ?? 0 }
                var word = String.UnicodeScalarView()
                word.append(contentsOf: scalars[ends[0]..<ends[1]])
                return Array(String(word).unicodeScalars)
            }
            #expect(words(String(text)).map { Array($0.unicodeScalars) } == expected, "\(line)")
        }
    }

    @Test func `letters and digits stand with what joins them`() {
        #expect(words("Can't stop, won't stop!") == ["Can't", "stop", "won't", "stop"])
        #expect(
            words("3.14 1,000 a_b __ _a a. .5 e.g. O’Neil") == [
                "3.14", "1,000", "a_b", "_a", "a", "5", "e.g", "O’Neil",
            ])
        #expect(words("naïve cafe\u{301} ﬁn") == ["naïve", "cafe\u{301}", "ﬁn"])
        #expect(words("") == [])
        #expect(words(" \n\t…—🙂") == [])
        #expect(words("한국어 русский עברית") == ["한국어", "русский", "עברית"])
    }

    @Test func `of scripts without spaces each two characters are a word`() {
        #expect(words("東京都 京") == ["東京", "京都", "京"])
        #expect(words("カタカナとかな") == ["カタ", "タカ", "カナ", "ナと", "とか", "かな"])
        #expect(words("iPhone発売2024年") == ["iPhone", "発売", "2024", "年"])
        // A vowel sign belongs to the letter before it.
        #expect(words("กิน") == ["กิน"])
    }

    @Test func `the last character of a run is a word, too`() {
        let bytes = Array("東京都 京a".utf8)
        #expect(allWords(bytes).map { String(decoding: bytes[$0], as: UTF8.self) } == ["東京", "京都", "都", "京", "a"])
    }

    @Test func `bytes that are no text are between words`() {
        #expect(words([0x61, 0xFF, 0x62, 0xE4, 0xBA]) == [0..<1, 2..<3])
        #expect(words([0xC3, 0x61]) == [1..<2])
    }

    @Test func `each scalar of a long text is looked at a few times at most`() {
        let marks = String(repeating: "\u{301}", count: 200_000)
        #expect(words("a" + marks).count == 1)
        #expect(words(marks) == [])
        #expect(words(String(repeating: "a:", count: 100_000)).count == 1)
        #expect(words(String(repeating: "_", count: 200_000)) == [])
        #expect(words(String(repeating: "京", count: 50_000)).count == 49_999)
    }
}
