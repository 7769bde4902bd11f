import GranaryCore
import GranaryKeyValue
import Testing

@testable import GranaryLMDB

@Suite struct CursorWalkTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Keys of several lengths, of which every seventh has a value too long for its page.
    private func makeEntries(_ random: inout Seeded) -> [(key: [UInt8], value: [UInt8])] {
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

    /// Moves a cursor at random and compares it with a place in the sorted entries.
    private func wander(
        _ reader: any KeyValueReader, _ entries: [(key: [UInt8], value: [UInt8])], _ random: inout Seeded
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
            case 45..<80:
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
        var random = Seeded(71)
        let entries = makeEntries(&random)
        try filled(entries).inspect { reader throws in try wander(reader, entries, &random) }
    }

    @Test func `so does the writer's`() throws {
        var random = Seeded(72)
        let entries = makeEntries(&random)
        try filled(entries).write { writer in
            for (key, value) in entries where key[0] % 3 == 0 { try writer.put(key, value) }
            try wander(writer, entries, &random)
        }
    }

    @Test func `skipping with no bound counts to the end`() throws {
        var random = Seeded(73)
        let entries = makeEntries(&random)
        try filled(entries).inspect { reader throws in
            let cursor = try reader.cursor(in: one)
            #expect(try cursor.skip(10, before: nil) == 0)
            _ = try cursor.first()
            #expect(try cursor.skip(.max, before: nil) == entries.count - 1)
        }
    }
}
