import GranaryCore
import GranaryKeyValue

@testable import GranaryLMDB

import GranaryPlatform
import TestSupport

/// Ways in which a file can be damaged.
enum Damage: CaseIterable {
    case bit, bits, header, meta, truncation, zeroSector, randomSector, swap, zeroPage

    func apply(to bytes: inout [UInt8], _ random: inout SeededNumbers) {
        let pages = bytes.count / 4096
        func flip(_ offset: Int) { bytes[offset] ^= 1 << UInt8(random.below(8)) }
        switch self {
        case .bit: flip(random.below(bytes.count))
        case .bits: for _ in 0...random.below(8) { flip(random.below(bytes.count)) }
        case .header: for _ in 0...random.below(3) { flip(random.below(pages) * 4096 + random.below(64)) }
        case .meta: for _ in 0...random.below(3) { flip(random.below(2) * 4096 + random.below(152)) }
        case .truncation: bytes.removeLast(1 + random.below(bytes.count))
        case .zeroSector:
            let begin = random.below(bytes.count / 512) * 512
            for offset in begin..<begin + 512 { bytes[offset] = 0 }
        case .randomSector:
            let begin = random.below(bytes.count / 512) * 512
            for offset in begin..<begin + 512 { bytes[offset] = UInt8(truncatingIfNeeded: random.next()) }
        case .swap:
            let (a, b) = (random.below(pages) * 4096, random.below(pages) * 4096)
            for offset in 0..<4096 { bytes.swapAt(a + offset, b + offset) }
        case .zeroPage:
            let begin = random.below(pages) * 4096
            for offset in begin..<begin + 4096 { bytes[offset] = 0 }
        }
    }
}

/// Replaces the bytes of a data file in place, and has the marker beside it say that the file is as its last user left it.
///
/// - Parameter size: The size the file gets, with a hole at its end.
func rewrite(_ bytes: [UInt8], in folder: TemporaryFolder, size: Int? = nil) {
    write(bytes, to: folder.data)
    if let size { truncate(folder.data, off_t(size)) }
    var status = stat()
    stat(folder.data, &status)
    #if os(Linux)
        let time = status.st_mtim
    #else
        let time = status.st_mtimespec
    #endif
    let line = "clean \(status.st_dev) \(status.st_ino) \(status.st_size) \(time.tv_sec).\(time.tv_nsec)\n"
    write(Array(line.utf8), to: folder.path + "/open.marker")
}

/// What became of damaged copies.
struct DamageCount {
    var refused = 0
    var readable = 0
    var failedLater = 0
    var walked = 0
}

/// Makes a data file of about a megabyte with several keyspaces, long values, free pages and separators of all lengths.
func sampleFile(in folder: TemporaryFolder, seed: UInt64) throws -> [UInt8] {
    var random = SeededNumbers(seed: seed)
    let engine = try engine(in: folder, keyspaces: damageKeyspaces)
    for _ in 0..<12 {
        try engine.write { writer in
            for _ in 0..<120 {
                let keyspace = damageKeyspaces[random.below(damageKeyspaces.count - 1)]
                let key = random.bytes(keyspace == one ? 8 + random.below(500) : 1 + random.below(12))
                let size = random.below(20) == 0 ? random.below(15_000) : random.below(400)
                try writer.put(key, random.bytes(size), in: keyspace)
            }
            let keyspace = damageKeyspaces[random.below(damageKeyspaces.count - 1)]
            for (index, entry) in try writer.entries(in: keyspace).enumerated() where index % 4 == 0 {
                try writer.remove(entry.0, in: keyspace)
            }
        }
    }
    try engine.close()
    return contents(of: folder.data)
}

let damageKeyspaces = [one, Keyspace(2), Keyspace(3), Keyspace(40), Keyspace(41)]

/// Opens a file whose walk is forced, reads all of it both ways, and writes to it. A crash ends the process.
func useThoroughly(_ folder: TemporaryFolder, _ count: inout DamageCount) throws {
    let engine: LMDBEngine
    do {
        engine = try LMDBEngine(folder: folder.path, options: .init(mapSize: 64 << 20, verify: .full))
    } catch {
        count.refused += 1
        return
    }
    count.walked += 1
    defer { try? engine.close() }
    do {
        try engine.prepare(keyspaces: damageKeyspaces)
        var sum = 0
        try engine.inspect { reader throws in
            for keyspace in damageKeyspaces {
                let cursor = try reader.cursor(in: keyspace)
                var entry = try cursor.first()
                while let found = entry {
                    for byte in found.key { sum &+= Int(byte) }
                    for byte in found.value { sum &+= Int(byte) }
                    entry = try cursor.next()
                }
                entry = try cursor.last()
                while let found = entry {
                    _ = try reader.get(found.key, in: keyspace)
                    entry = try cursor.previous()
                }
            }
        }
        for round in 0..<3 {
            try engine.write { writer in
                for keyspace in damageKeyspaces {
                    for (index, entry) in try writer.entries(in: keyspace).enumerated() where index % 5 == round {
                        try writer.remove(entry.0, in: keyspace)
                    }
                    try writer.put([1, UInt8(round)], [UInt8](repeating: 9, count: 9000), in: keyspace)
                    for index in 0..<40 { try writer.put([9, UInt8(round), UInt8(index)], [1, 2, 3], in: keyspace) }
                }
            }
        }
        count.readable += 1
    } catch {
        count.failedLater += 1
    }
}
