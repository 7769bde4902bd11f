import Foundation

/// Makes the same tracks on every run, each from its number alone, so that no test needs to hold all of them.
struct TrackGenerator: Sendable {
    static let artistCount = 1000
    private static let words = [
        "blue", "river", "night", "stone", "echo", "glass", "winter", "golden", "harbour", "silver", "map", "engine",
        "letter", "summer", "quiet", "mountain", "électrique", "wire", "dust", "paper",
    ]

    /// The track with a key of 1 or more.
    func track(_ id: Int64) -> Track {
        var random = SplitMix(seed: UInt64(bitPattern: id))
        return Track(
            id: id,
            title: text(bytes: 8...24, &random),
            artist: artist(Int(random.next(below: UInt64(TrackGenerator.artistCount)))),
            comment: text(bytes: 24...40, &random),
            length: Double(random.next(below: 600_000)) / 1000,
            rating: random.next(below: 10) < 7 ? Double(random.next(below: 51)) / 10 : nil,
            plays: Int(random.next(below: 1000)),
            isFavourite: random.next(below: 8) == 0,
            added: Date(timeIntervalSinceReferenceDate: Double(random.next(below: 800_000_000)) + 0.25),
            cover: bytes(16 + Int(random.next(below: 17)), &random),
            composer: random.next(below: 2) == 0 ? text(bytes: 8...20, &random) : nil)
    }

    /// The tracks with the keys 1 to `rows`, 50 000 at a time.
    func batches(_ rows: Int, _ body: ([Track]) throws -> Void) rethrows {
        for start in stride(from: 1, through: rows, by: 50_000) {
            try body((start...min(start + 49_999, rows)).map { track(Int64($0)) })
        }
    }

    /// The keys 1 to `rows`, in an order that is the same on every run.
    func shuffledKeys(_ rows: Int) -> [Int64] {
        var random = SplitMix(seed: 0x5EED)
        return Array(1...Int64(rows)).shuffled(using: &random)
    }

    /// Names spread evenly over the first letters A to Z, 10 to 20 bytes.
    private func artist(_ number: Int) -> String {
        var random = SplitMix(seed: 0xA57 &+ UInt64(number))
        let first = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(number % 26)))
        return first + text(bytes: 5...15, &random) + " " + String(1000 + number)
    }

    private func text(bytes range: ClosedRange<Int>, _ random: inout SplitMix) -> String {
        let target = range.lowerBound + Int(random.next(below: UInt64(range.count - 3)))
        var text = ""
        while text.utf8.count < target {
            if !text.isEmpty { text += " " }
            text += TrackGenerator.words[Int(random.next(below: UInt64(TrackGenerator.words.count)))]
        }
        while text.utf8.count > range.upperBound { text.removeLast() }
        return text
    }

    private func bytes(_ count: Int, _ random: inout SplitMix) -> Data {
        Data((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    }
}

/// SplitMix64: a small generator whose sequence is fixed by its seed.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func next(below bound: UInt64) -> UInt64 { next() % bound }
}
