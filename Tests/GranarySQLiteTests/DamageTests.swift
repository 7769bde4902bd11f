import Foundation
import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

@Suite(.serialized) struct DamageTests {
    private enum Damage: Int, CaseIterable {
        case bit, bits, header, truncated, zeroedSector, zeroedPage, swapped, random
    }

    private func damage(_ bytes: inout [UInt8], _ kind: Damage, _ numbers: inout SeededNumbers) {
        let pages = bytes.count / 4096
        func page() -> Int { Int.random(in: 0..<pages, using: &numbers) * 4096 }
        func flip(_ range: Range<Int>) {
            bytes[Int.random(in: range, using: &numbers)] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
        }
        switch kind {
        case .bit: flip(0..<bytes.count)
        case .bits: for _ in 0..<8 { flip(0..<bytes.count) }
        case .header:
            let start = page()
            flip(start..<start + 100)
        case .truncated: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &numbers))
        case .zeroedSector:
            let start = page() + 512 * Int.random(in: 0..<8, using: &numbers)
            for index in start..<start + 512 { bytes[index] = 0 }
        case .zeroedPage:
            let start = page()
            for index in start..<start + 4096 { bytes[index] = 0 }
        case .swapped:
            let (first, second) = (page(), page())
            for index in 0..<4096 { bytes.swapAt(first + index, second + index) }
        case .random:
            let start = Int.random(in: 0..<bytes.count, using: &numbers)
            for index in start..<min(start + 64, bytes.count) {
                bytes[index] = UInt8.random(in: 0...255, using: &numbers)
            }
        }
    }

    private func content(_ store: any Store) throws -> [[[StoredValue]]] {
        try store.read { reader in
            try music.entities.indices.map { try reader.all(FetchRequest(entity: $0)) }
        }
    }

    @Test(arguments: [false, true])
    func `damaged files never crash, and with checksums never give wrong rows`(_ rowChecksums: Bool) throws {
        let folder = try TemporaryFolder()
        var store = try folder.open(rowChecksums: rowChecksums)
        try store.write { (writer) throws in
            for key in 1...20 { try writer.insert(.genre, .integer(Int64(key)), .string("genre \(key)")) }
            for key in 1...120 {
                let rating: StoredValue = key % 3 == 0 ? nil : .real(Double(key) / 7)
                try writer.insert(
                    .artist, .integer(Int64(key * 31)), .string(String(repeating: "name \(key) ", count: 3)), rating,
                    .integer(Int64(key % 2)), .integer(Int64(key % 20 + 1)))
            }
            for key in 1...150 {
                try writer.insert(
                    .song, 0, .string("song \(key)"), .integer(Int64((key % 120 + 1) * 31)),
                    .bytes([UInt8](repeating: UInt8(key), count: key == 77 ? 9000 : key)))
            }
            for key in 1...60 { try writer.insert(.tag, .string("tag \(key)"), .integer(Int64(key)), nil) }
            for key in 1...60 {
                try writer.insert(.event, .bytes((0..<16).map { UInt8($0 * key % 251) }), .real(Double(key) * 1.5))
            }
        }
        let original = try content(store)
        try store.close()
        let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.database)))
        var numbers = SeededNumbers(seed: TestSeed.of(7))
        var tally = (refused: 0, reported: 0, same: 0, wrong: 0)
        for trial in 0..<1_200 {
            let kind = Damage.allCases[trial % Damage.allCases.count]
            var bytes = whole
            damage(&bytes, kind, &numbers)
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.database + suffix) }
            try Data(bytes).write(to: URL(fileURLWithPath: folder.database))
            do {
                store = try folder.open()
            } catch {
                tally.refused += 1
                continue
            }
            defer { try? store.close() }
            let faults = try store.verify()
            let read: [[[StoredValue]]]
            do {
                read = try content(store)
            } catch {
                #expect(!faults.isEmpty, "trial \(trial), \(kind): verify does not see that reading throws \(error)")
                tally.reported += 1
                continue
            }
            if !faults.isEmpty {
                tally.reported += 1
                guard rowChecksums else { continue }
                // Rows may be missing from a file with faults; none may be wrong.
                for (rows, wanted) in zip(read, original) {
                    #expect(Set(rows).isSubset(of: Set(wanted)), "trial \(trial), \(kind)")
                }
            } else if read == original {
                tally.same += 1
            } else {
                tally.wrong += 1
                #expect(!rowChecksums, "trial \(trial), \(kind): wrong rows that nothing reported")
            }
        }
        print("damaged files, checksums \(rowChecksums): \(tally)")
    }
}
