import Foundation
import GranaryCore
import GranaryKeyValue
import Testing

@testable import GranaryLMDB
import TestSupport

/// Damaged files under a whole store: what the structural check lets through, the rows' checksums see.
struct StoreDamageTests {
    private static let schema = Schema(entities: [
        Entity(
            "Track", key: "id",
            attributes: [
                Attribute("id", Int64.self), Attribute("title", String.self), Attribute("length", Double?.self),
                Attribute("cover", [UInt8].self),
            ], indexes: [.index("title")])
    ])

    /// A store of 600 rows, some of them longer than a page, written in several commits.
    private func makeStore(in folder: TemporaryFolder) throws -> [[StoredValue]] {
        let engine = try LMDBEngine(folder: folder.path, options: .init(mapSize: 64 << 20))
        let store = try KeyValueStore(engine: engine, schema: StoreDamageTests.schema)
        var random = SeededNumbers(seed: 9)
        var rows: [[StoredValue]] = []
        for batch in 0..<6 {
            let writer = try store.beginWrite()
            defer { writer.end() }
            for number in 0..<100 {
                let row: [StoredValue] = [
                    .integer(Int64(batch * 100 + number)), .string("title \(random.next())"),
                    number % 3 == 0 ? .null : .real(Double(random.below(1000)) / 8),
                    .bytes(random.bytes(number % 20 == 0 ? 9000 : random.below(300))),
                ]
                var cells = RowWriter(count: 4)
                for (position, value) in row.enumerated() { try value.encode(into: &cells, at: position) }
                _ = try cells.withRow { try writer.insert($0, into: 0) }
                rows.append(row)
            }
            try writer.commit()
        }
        try store.close()
        return rows
    }

    /// What a damaged store is put to after it was opened.
    private func use(_ store: KeyValueStore, _ rows: [[StoredValue]], _ round: Int) throws {
        let reader = try store.beginRead(CancellationFlag())
        defer { reader.end() }
        let cursor = try reader.rows(FetchRequest(entity: 0))
        var number = 0
        while let row = try cursor.next() {
            let values = (0..<4).map { StoredValue(row[$0]) }
            #expect(number < rows.count && values == rows[number], "round \(round): row \(number)")
            number += 1
        }
        // A whole earlier commit is what is left when the newest meta page is lost.
        #expect(number.isMultiple(of: 100), "round \(round): \(number) rows")
    }

    /// Writes to a damaged store, so that its free pages are used.
    private func write(_ store: KeyValueStore) throws {
        for round in 0..<3 {
            let writer = try store.beginWrite()
            defer { writer.end() }
            for number in stride(from: Int64(round), to: 600, by: 7) {
                _ = try writer.delete(.integer(number), from: 0)
            }
            for number in 0..<20 {
                let row: [StoredValue] = [
                    .integer(Int64(10_000 + round * 100 + number)), .string("new"), .null,
                    .bytes([UInt8](repeating: 7, count: number * 700)),
                ]
                var cells = RowWriter(count: 4)
                for (position, value) in row.enumerated() { try value.encode(into: &cells, at: position) }
                _ = try cells.withRow { try writer.insert($0, into: 0) }
            }
            try writer.commit()
        }
    }

    /// In place, with a marker that says that the file was closed cleanly. A crash ends the run of the tests.
    ///
    /// `GRANARY_DAMAGED_FILES` and `GRANARY_SEED` make it a campaign.
    @Test func `no damaged file ends the process, whatever the marker says`() throws {
        let count = ProcessInfo.processInfo.environment["GRANARY_DAMAGED_FILES"].flatMap { Int($0) } ?? 450
        var random = SeededNumbers(seed: TestSeed.of(17))
        let folder = try TemporaryFolder()
        let rows = try makeStore(in: folder)
        let original = contents(of: folder.data)
        var (refused, reported, found, whole) = (0, 0, 0, 0)
        for round in 0..<count {
            var bytes = original
            Damage.allCases[round % Damage.allCases.count].apply(to: &bytes, &random)
            rewrite(bytes, in: folder)
            guard let engine = try? LMDBEngine(folder: folder.path, options: .init(mapSize: 64 << 20)) else {
                refused += 1
                continue
            }
            defer { try? engine.close() }
            do {
                let store = try KeyValueStore(engine: engine, schema: StoreDamageTests.schema)
                let faults = try store.verify()
                if !faults.isEmpty { found += 1 }
                do {
                    try use(store, rows, round)
                    whole += 1
                } catch is GranaryError {
                    #expect(!faults.isEmpty, "round \(round): verify found nothing")
                    reported += 1
                }
                try write(store)
                _ = try store.verify()
            } catch is GranaryError {}
        }
        print("damaged in place: \(refused) refused, \(found) found by verify, \(reported) on reading, \(whole) whole")
        #expect(refused > 0 && found > 0 && reported > 0 && whole > 0)
    }

    @Test func `a damaged store gives the rows that were written or an error, never others`() throws {
        let folder = try TemporaryFolder()
        let rows = try makeStore(in: folder)
        let original = contents(of: folder.data)
        let target = try TemporaryFolder()
        var random = SeededNumbers(seed: TestSeed.of(31))
        var (refused, whole, reported) = (0, 0, 0)
        for round in 0..<1008 {
            var bytes = original
            Damage.allCases[round % Damage.allCases.count].apply(to: &bytes, &random)
            GranaryLMDBTests.write(bytes, to: target.data)
            guard let engine = try? LMDBEngine(folder: target.path, options: .init(mapSize: 64 << 20, verify: .full))
            else {
                refused += 1
                continue
            }
            defer { try? engine.close() }
            do {
                let store = try KeyValueStore(engine: engine, schema: StoreDamageTests.schema)
                try use(store, rows, round)
                whole += 1
            } catch is GranaryError {
                reported += 1
            }
        }
        print("damaged stores: \(refused) refused, \(reported) reported on reading, \(whole) read whole")
        #expect(refused > 0 && reported > 0 && whole > 0)
    }
}
