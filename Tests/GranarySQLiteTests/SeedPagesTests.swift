import Foundation
import GranaryCore
import Synchronization
import Testing

@testable import GranarySQLite
import TestSupport

/// Seeds that are SQLite stores: their pages are copied, or their records, one by one. Progress tells which.
@Suite struct SeedPagesTests {
    private static let artists = 1_500

    private func seed(_ folder: TemporaryFolder, rowChecksums: Bool = false) -> SQLiteStoreProvider {
        .sqlite(atPath: folder("Seed.granary"), options: .init(durability: .off, rowChecksums: rowChecksums))
    }

    private func database(ofSeedIn folder: TemporaryFolder) -> String {
        folder("Seed.granary") + "/gen-0001/db.sqlite"
    }

    /// Makes a seed with artists and songs, changes it, and closes it.
    private func makeSeed(
        _ provider: SQLiteStoreProvider, then change: (any StoreWriter) throws -> Void = { _ in }
    ) throws {
        let store = try provider.open(music, migration: .automatic)
        try store.write { (writer) throws in
            for key in 1...Self.artists {
                try writer.insert(.artist, .integer(Int64(key)), .string("artist \(key)"), .real(Double(key)), 1, nil)
            }
            for key in 1...200 {
                let data = StoredValue.bytes([UInt8](repeating: UInt8(key), count: 1_000))
                try writer.insert(.song, 0, .string("song \(key)"), .integer(Int64(key)), data)
            }
        }
        try store.write(change)
        try store.close()
    }

    private func deleteSongs(_ writer: any StoreWriter, _ keys: ClosedRange<Int64>) throws {
        for key in keys { try writer.delete(.song, .integer(key)) }
    }

    /// A new store that is made from a seed.
    private func make(
        _ folder: TemporaryFolder, from provider: SQLiteStoreProvider, _ work: LongWork
    ) throws -> any Store {
        let contents = try Seed.store(provider).contents(for: music, migration: .refuse)
        return try work.run {
            try SQLiteStoreProvider.sqlite(atPath: folder.store, options: .init(durability: .off))
                .open(music, migration: .refuse, contents: contents)
        }
    }

    /// The same, and says whether pages were copied.
    private func opening(_ folder: TemporaryFolder, from provider: SQLiteStoreProvider) throws -> (any Store, Bool) {
        let told = Mutex<[StoreProgress]>([])
        let work = LongWork(onProgress: { progress in told.withLock { $0.append(progress) } })
        let store = try make(folder, from: provider, work)
        let seen = told.withLock { $0 }
        #expect(seen.last?.fraction == 1)
        return (store, seen.last?.entity == "")
    }

    private func records(_ store: any Store) throws -> [[[StoredValue]]] {
        try store.read { reader in
            try music.entities.indices.map { try reader.all(FetchRequest(entity: $0)) }
        }
    }

    private func records(_ provider: SQLiteStoreProvider) throws -> [[[StoredValue]]] {
        let store = try provider.open(music, migration: .refuse)
        let found = try records(store)
        try store.close()
        return found
    }

    @Test func `a seed with the same tables is copied by its pages, without what it knows of commits`() throws {
        let folder = try TemporaryFolder()
        let provider = seed(folder)
        try makeSeed(provider) { try deleteSongs($0, 171...200) }
        #expect(try shell(database(ofSeedIn: folder), "PRAGMA freelist_count") != [["0"]])
        let (store, isByPages) = try opening(folder, from: provider)
        #expect(isByPages)
        #expect(try records(store) == records(provider))
        #expect(try store.verify() == [])
        #expect(try store.read { $0.transactionNumber } == 1)
        try store.write { _ = try $0.insert(.song, 0, "new", 1, nil) }
        #expect(try store.read { try $0.find(.song, 201) } != nil)
        try store.close()
        // Free pages come along, as they do not with records.
        #expect(try shell(folder.database, "PRAGMA freelist_count") != [["0"]])
        #expect(try shell(folder.database, "PRAGMA journal_mode") == [["wal"]])
        let again = try folder.open()
        #expect(try again.read { $0.transactionNumber } == 2)
        #expect(try again.verify() == [])
        try again.close()
    }

    enum Difference: CaseIterable {
        case checksums, otherTable, history, freeSpace, damagedIndex
    }

    @Test(arguments: Difference.allCases)
    func `a seed whose pages are not those of a new store is copied record by record`(
        _ difference: Difference
    ) throws {
        let folder = try TemporaryFolder()
        let provider = seed(folder, rowChecksums: difference == .checksums)
        try makeSeed(provider) { writer in
            switch difference {
            case .history: try writer.keepHistory(HistoryEntry(number: 1, time: 0, author: "a", changes: []))
            case .freeSpace: try deleteSongs(writer, 1...200)
            case .checksums, .otherTable, .damagedIndex: break
            }
        }
        let file = database(ofSeedIn: folder)
        switch difference {
        case .otherTable: _ = try shell(file, "CREATE TABLE other (a)")
        case .damagedIndex:
            let root = try shell(file, "SELECT rootpage FROM sqlite_schema WHERE name = 'Artist.rating.name'")
            let page = try #require(root.first?.first.flatMap { Int($0) })
            var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
            for place in (page - 1) * 4096..<page * 4096 { bytes[place] = 0 }
            try Data(bytes).write(to: URL(fileURLWithPath: file))
        case .checksums, .history, .freeSpace: break
        }
        let (store, isByPages) = try opening(folder, from: provider)
        #expect(!isByPages)
        #expect(try records(store) == records(provider))
        #expect(try store.verify() == [])
        try store.close()
        let others = try shell(
            folder.database, "SELECT name FROM sqlite_schema WHERE name IN ('other', 'granary:history')")
        #expect(others.isEmpty)
        #expect(try shell(folder.database, "PRAGMA freelist_count") == [["0"]])
    }

    @Test func `a record of a seed that disagrees with its checksum is an error, and nothing is made`() throws {
        let folder = try TemporaryFolder()
        let provider = seed(folder, rowChecksums: true)
        try makeSeed(provider)
        let file = database(ofSeedIn: folder)
        let text = Array("artist 750".utf8)
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
        for place in 0..<(bytes.count - text.count) where bytes[place..<(place + text.count)].elementsEqual(text) {
            bytes[place] = UInt8(ascii: "A")
        }
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        let error = failure {
            let contents = try Seed.store(provider).contents(for: music, migration: .refuse)
            _ = try SQLiteStoreProvider.sqlite(atPath: folder.store, options: .init(rowChecksums: true))
                .open(music, migration: .refuse, contents: contents)
        }
        #expect(error?.code == .corrupt)
        #expect(!exists(folder.store))
    }

    @Test func `a seed that is written to while it is copied is copied as it was`() throws {
        let folder = try TemporaryFolder()
        let provider = seed(folder)
        try makeSeed(provider)
        let other = try provider.open(music, migration: .refuse)
        let written = Mutex<Int>(0)
        let work = LongWork(onProgress: { _ in
            let number = written.withLock { count in
                count += 1
                return count
            }
            try? other.write { _ = try $0.insert(.genre, .integer(Int64(number)), .string("genre \(number)")) }
        })
        let store = try make(folder, from: provider, work)
        #expect(try store.read { try $0.all(.genre) } == [])
        #expect(try store.read { try $0.all(.artist) }.count == Self.artists)
        #expect(try store.verify() == [])
        let count = written.withLock { $0 }
        #expect(try other.read { try $0.all(.genre) }.count == count)
        try store.close()
        try other.close()
    }

    @Test(arguments: [0.0, 0.5, 1.0])
    func `copying pages ends when it is cancelled, and nothing is made`(_ fraction: Double) throws {
        let folder = try TemporaryFolder()
        let provider = seed(folder)
        try makeSeed(provider)
        let flag = CancellationFlag()
        let work = LongWork(onProgress: { if $0.fraction >= fraction { flag.set() } }, cancellation: flag)
        let error = failure { _ = try make(folder, from: provider, work) }
        #expect(error?.code == .cancelled)
        #expect(!exists(folder.store))
        let (store, isByPages) = try opening(folder, from: provider)
        #expect(isByPages)
        #expect(try store.verify() == [])
        try store.close()
    }
}
