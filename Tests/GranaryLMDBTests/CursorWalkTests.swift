import GranaryCore
import GranaryKeyValue
import Testing

@testable import GranaryLMDB
import TestSupport

@Suite struct CursorWalkTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Keys of several lengths, of which every seventh has a value too long for its page.
    private func makeEntries(_ random: inout SeededNumbers) -> [(key: [UInt8], value: [UInt8])] {
        let keys = Set((0..<3000).map { _ in random.bytes(1 + random.below(40)) })
        return keys.sorted { $0.lexicographicallyPrecedes($1) }.enumerated().map { place, key in
            (key, random.bytes(place % 7 == 0 ? 3000 : random.below(60)))
        }
    }

    private func filled(_ entries: [(key: [UInt8], value: [UInt8])]) throws -> LMDBEngine {
        let filled = try engine(in: folder)
        try filled.write { writer in
            for (key, value) in entries.shuffled() { try writer.put(key, value) }
        }
        return filled
    }

    private func entriesTogether(_ cursor: any KeyValueCursor, _ most: Int) throws -> [(key: [UInt8], value: [UInt8])] {
        try withUnsafeTemporaryAllocation(of: KeyValueEntry.self, capacity: most) { room in
            let count = try cursor.next(into: room)
            return room[..<count].map { (Array($0.key), Array($0.value)) }
        }
    }

    /// Moves a cursor at random and compares it with a place in the sorted entries.
    private func wander(
        _ reader: any KeyValueReader, _ entries: [(key: [UInt8], value: [UInt8])], _ random: inout SeededNumbers
    ) throws {
        let cursor = try reader.cursor(in: one)
        var place = 0
        _ = try cursor.first()
        for step in 0..<20_000 {
            var found: KeyValueEntry?
            switch random.below(100) {
            case 0..<45:
                place += 1
                found = try cursor.next()
            case 45..<55:
                let together = try entriesTogether(cursor, random.below(90))
                for (key, value) in together {
                    place += 1
                    try #require(key == entries[place].key && value == entries[place].value, "step \(step)")
                }
                if !together.isEmpty { continue }
                place = random.below(entries.count)
                found = try entries[place].key.withUnsafeBytes { try cursor.seek(atOrAfter: $0) }
            case 55..<80:
                place -= 1
                found = try cursor.previous()
            case 80..<90:
                let bound = random.below(entries.count)
                let most = random.below(400)
                let passed = try entries[bound].key.withUnsafeBytes { try cursor.skip(most, before: $0) }
                try #require(passed == max(0, min(most, bound - place - 1)), "step \(step)")
                place = passed == most ? place + most : random.below(entries.count)
                if passed == most { continue }
                fallthrough
            default:
                place = random.below(entries.count)
                found = try entries[place].key.withUnsafeBytes { try cursor.seek(atOrAfter: $0) }
            }
            if entries.indices.contains(place) {
                let (key, value) = (found.map { Array($0.key) }, found.map { Array($0.value) })
                try #require(key == entries[place].key && value == entries[place].value, "step \(step)")
            } else {
                try #require(found == nil)
                place = 0
                _ = try cursor.first()
            }
        }
    }

    @Test func `a snapshot's cursor goes on, back and over entries as they are sorted`() throws {
        var random = SeededNumbers(seed: TestSeed.of(71))
        let entries = makeEntries(&random)
        try filled(entries).inspect { reader throws in try wander(reader, entries, &random) }
    }

    @Test func `so does the writer's`() throws {
        var random = SeededNumbers(seed: TestSeed.of(72))
        let entries = makeEntries(&random)
        try filled(entries).write { writer in
            for (key, value) in entries where key[0] % 3 == 0 { try writer.put(key, value) }
            try wander(writer, entries, &random)
        }
    }

    @Test func `skipping with no bound counts to the end`() throws {
        var random = SeededNumbers(seed: TestSeed.of(73))
        let entries = makeEntries(&random)
        try filled(entries).inspect { reader throws in
            let cursor = try reader.cursor(in: one)
            #expect(try cursor.skip(10, before: nil) == 0)
            _ = try cursor.first()
            #expect(try cursor.skip(.max, before: nil) == entries.count - 1)
        }
    }

    @Test func `keys that ascend are deleted together, those that are not there left out`() throws {
        var random = SeededNumbers(seed: TestSeed.of(74))
        let entries = makeEntries(&random)
        let filled = try filled(entries)
        var left = Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
        for share in [9, 2, 1] {
            let keys = entries.map(\.key).filter { _ in random.below(share) == 0 }
            let bytes = keys.map { UnsafeMutableRawBufferPointer.copy($0) }
            defer { for key in bytes { key.deallocate() } }
            try filled.write { writer in
                let there = keys.count { left[$0] != nil }
                let pointers = bytes.map { UnsafeRawBufferPointer($0) }
                let count = try pointers.withUnsafeBufferPointer { try writer.delete($0, in: one) }
                #expect(count == there)
            }
            for key in keys { left[key] = nil }
            try filled.inspect { reader throws in
                let found = try reader.entries()
                #expect(found.map { $0.0 } == left.keys.sorted { $0.lexicographicallyPrecedes($1) })
                #expect(found.allSatisfy { left[$0.0] == $0.1 })
            }
        }
        #expect(left.isEmpty)
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate static func copy(_ bytes: [UInt8]) -> UnsafeMutableRawBufferPointer {
        let copy = allocate(byteCount: bytes.count, alignment: 1)
        copy.copyBytes(from: bytes)
        return copy
    }
}
