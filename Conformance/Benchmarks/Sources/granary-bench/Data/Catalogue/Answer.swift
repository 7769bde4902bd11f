/// What a question was answered with, as the caller gets it. Digested only when no clock runs.
enum Answer {
    case songs([Song])
    case artists([Artist])
    case number(Int)
    case groups([(name: String, count: Int, plays: Int)])
    case artistsWithSongs([(Artist, [Song])])

    var digest: AnswerDigest {
        var digest = AnswerDigest()
        switch self {
        case .songs(let songs): for song in songs { digest.add(song) }
        case .artists(let artists): for artist in artists { digest.add(artist) }
        case .number(let number): digest.add(number)
        case .groups(let groups):
            for group in groups {
                digest.add(group.name)
                digest.add(group.count)
                digest.add(group.plays)
            }
        case .artistsWithSongs(let artists):
            for (artist, songs) in artists {
                digest.add(artist)
                for song in songs { digest.add(song) }
            }
        }
        return digest
    }
}

/// How many values there were, and a checksum over all of them in their order.
struct AnswerDigest: Equatable, CustomStringConvertible {
    private var count = 0
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    var description: String { "\(count) values, checksum \(String(hash, radix: 16))" }

    mutating func add(_ song: Song) {
        add(Int(song.id))
        add(song.title)
        add(Int(song.artist.key))
        add(song.genre)
        add(song.mood)
        add(song.plays)
        mix(song.length.bitPattern)
        add(song.score)
    }

    mutating func add(_ artist: Artist) {
        add(Int(artist.id))
        add(artist.name)
        add(artist.country)
    }

    mutating func add(_ text: String) {
        count += 1
        mix(UInt64(text.utf8.count))
        for byte in text.utf8 { mix(UInt64(byte)) }
    }

    mutating func add(_ number: Int) {
        count += 1
        mix(UInt64(bitPattern: Int64(number)))
    }

    private mutating func mix(_ value: UInt64) {
        hash = (hash ^ value) &* 0x100_0000_01B3
        hash ^= hash >> 29
    }
}
