/// How many tracks there were, and a checksum over every field of each, in their order.
struct TrackDigest: Equatable, CustomStringConvertible {
    private(set) var count = 0
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    init() {}

    init(_ items: [some TrackHolder]) {
        for item in items { add(item.track) }
    }

    var description: String { "\(count) rows, checksum \(String(hash, radix: 16))" }

    mutating func add(_ track: Track) {
        count += 1
        mix(UInt64(bitPattern: track.id))
        mix(track.title)
        mix(track.artist)
        mix(track.comment)
        mix(track.length.bitPattern)
        mix(track.rating?.bitPattern ?? 1)
        mix(UInt64(bitPattern: Int64(track.plays)))
        mix(track.isFavourite ? 1 : 0)
        mix(track.added.timeIntervalSinceReferenceDate.bitPattern)
        mix(UInt64(track.cover.count))
        track.cover.withUnsafeBytes { for byte in $0 { mix(UInt64(byte)) } }
        mix(track.composer ?? "\u{0}")
    }

    private mutating func mix(_ text: String) {
        mix(UInt64(text.utf8.count))
        for byte in text.utf8 { mix(UInt64(byte)) }
    }

    private mutating func mix(_ value: UInt64) {
        hash = (hash ^ value) &* 0x100_0000_01B3
        hash ^= hash >> 29
    }
}

/// What `stream` computes while it is timed: cheap, over two fields.
struct StreamSum: Equatable, Sendable, CustomStringConvertible {
    private(set) var count = 0
    private var sum: UInt64 = 0

    var description: String { "\(count) rows, sum \(sum)" }

    mutating func add(plays: Int, length: Double) {
        count += 1
        sum = sum &+ (UInt64(truncatingIfNeeded: plays) ^ length.bitPattern)
    }

    mutating func add(_ track: Track) { add(plays: track.plays, length: track.length) }

    static func + (left: StreamSum, right: StreamSum) -> StreamSum {
        var sum = left
        sum.count += right.count
        sum.sum &+= right.sum
        return sum
    }
}
