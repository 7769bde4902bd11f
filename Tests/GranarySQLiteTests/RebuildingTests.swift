import GranaryCore
import Synchronization
import Testing

@testable import GranarySQLite
import TestSupport

/// Making indexes anew, as it is followed and cancelled.
@Suite struct RebuildingTests {
    private func filled(_ folder: TemporaryFolder) throws -> any Store {
        let store = try folder.open()
        try store.write { (writer) throws in
            for key in 1...2_000 {
                try writer.insert(.artist, .integer(Int64(key)), .string("artist \(key)"), 1.0, 1, nil)
            }
        }
        return store
    }

    @Test func `rebuilding tells of the entries that it has made`() throws {
        let folder = try TemporaryFolder()
        let store = try filled(folder)
        let told = Mutex<[StoreProgress]>([])
        let work = LongWork(onProgress: { progress in told.withLock { $0.append(progress) } })
        try work.run { try store.rebuildIndexes() }
        let seen = told.withLock { $0 }
        let total = 2_000 * store.schema.entities[Table.artist.rawValue].indexes.count
        #expect(seen.first == StoreProgress(entity: "Genre", records: 0, total: total))
        #expect(seen.contains(StoreProgress(entity: "Artist", records: total, total: total)))
        #expect(seen.last?.fraction == 1)
        #expect(try store.verify() == [])
        try store.close()
    }

    @Test func `rebuilding that is cancelled while it makes an index changes nothing`() throws {
        let folder = try TemporaryFolder()
        let store = try filled(folder)
        let flag = CancellationFlag()
        let work = LongWork(onProgress: { if $0.entity == "Artist" { flag.set() } }, cancellation: flag)
        let error = failure { try work.run { try store.rebuildIndexes() } }
        #expect(error?.code == .cancelled)
        #expect(error?.message == "The work was cancelled. The store is as it was.")
        #expect(try store.verify() == [])
        // The connection goes on, and nothing cancels its writes.
        try store.write { (writer) throws in
            for key in 2_001...4_000 {
                try writer.insert(.artist, .integer(Int64(key)), .string("artist \(key)"), 1.0, 1, nil)
            }
        }
        try store.rebuildIndexes()
        #expect(try store.read { try $0.all(.artist) }.count == 4_000)
        try store.close()
    }
}
