/// Texts of words by a Zipf law, the same in each run.
struct ZipfTexts {
    /// The commonest word first.
    let vocabulary: [String]
    private let limits: [Double]
    private var state: UInt64 = 42

    init(vocabulary size: Int) {
        var state: UInt64 = 7
        func random(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        let (consonants, vowels) = (Array("bcdfghklmnprstvw"), Array("aeiou"))
        var known: Set<String> = []
        var words: [String] = []
        while words.count < size {
            var word = ""
            for _ in 0..<(2 + random(3)) { word += String([consonants[random(16)], vowels[random(5)]]) }
            if known.insert(word).inserted { words.append(word) }
        }
        vocabulary = words
        var sum = 0.0
        limits = (1...size).map { rank in
            sum += 1 / Double(rank)
            return sum
        }
    }

    mutating func text(words count: Int) -> String {
        (0..<count).map { _ in vocabulary[rank()] }.joined(separator: " ")
    }

    private mutating func rank() -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let wanted = Double(state >> 11) / Double(UInt64(1) << 53) * (limits.last ?? 0)
        var (low, high) = (0, limits.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if limits[middle] < wanted { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
