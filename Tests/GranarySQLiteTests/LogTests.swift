import GranaryPlatform
import Foundation
import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

@Suite struct LogTests {
    @Test(.timeLimit(.minutes(2))) func `reads that overlap do not keep the log from beginning anew`() throws {
        let folder = try TemporaryFolder()
        // So long that a commit which waits for reads without another limit is noticed.
        let store = try folder.open(busyTimeout: 90)
        try store.write { writer in
            try writer.insert(.artist, 1, "A", nil, 1, nil)
            try writer.insert(.song, 1, "S", 1, .bytes([UInt8](repeating: 0, count: 60_000)))
        }
        let (isDone, ended) = (CancellationFlag(), DispatchSemaphore(value: 0))
        // At any moment one is open, and none for long.
        Thread.detachNewThread {
            var open = try? store.beginRead(CancellationFlag())
            while !isDone.isSet {
                let next = try? store.beginRead(CancellationFlag())
                _ = try? next?.count(FetchRequest(entity: 0))
                open?.end()
                open = next
            }
            open?.end()
            ended.signal()
        }
        var longest: Int64 = 0
        var slowest = 0.0
        for number in 1...1000 {
            let start = Deadline(seconds: 0)
            try store.write { writer in
                let bytes = [UInt8](repeating: UInt8(number % 256), count: 60_000)
                _ = try writer.update(.song, 1, "S", 1, .bytes(bytes))
            }
            slowest = max(slowest, start.elapsed)
            longest = max(longest, try FileSystem.status(folder.database + "-wal")?.size ?? 0)
        }
        isDone.set()
        ended.wait()
        // 62 MB were written. The log is begun anew when it has 4 000 pages, 16 MB; it may wait in vain now and then.
        #expect(longest < 30 << 20, "The log grew to \(longest) bytes; the slowest commit took \(slowest) s.")
        // A commit waits for 0.1 s at most. The rest is for slow machines.
        #expect(slowest < 30, "The slowest commit took \(slowest) s.")
        try store.close()
    }

    /// A connection that is not the store's stands for one of another process.
    @Test func `a read of another process that keeps the log is found, and one of this process is not taken for it`()
        throws
    {
        let folder = try TemporaryFolder()
        var tuning = SQLiteTuning()
        tuning.logSize = 200_000
        let store = try SQLiteStoreProvider.sqlite(
            atPath: folder.store, options: .init(durability: .off, tuning: tuning)
        )
        .open(music, migration: .automatic)
        _ = try store.write { try $0.insert(.artist, 1, "A", nil, 1, nil) }
        var title = 0
        func commit() throws {
            title += 1
            try store.write { writer in
                let bytes = [UInt8](repeating: UInt8(title), count: 150_000)
                try writer.insert(.song, .integer(Int64(title)), "S", 1, .bytes(bytes))
            }
        }
        for _ in 0..<5 { try commit() }
        #expect(store.foreignBlockage() == nil)
        let own = try store.beginRead(CancellationFlag())
        for _ in 0..<5 { try commit() }
        #expect(store.foreignBlockage() == nil, "the read is of this process")
        own.end()
        for _ in 0..<5 { try commit() }
        #expect(store.foreignBlockage() == nil)
        let other = try Connection(path: folder.database, purpose: .reading, options: SQLiteOptions())
        try other.execute("BEGIN")
        _ = try other.values("SELECT count(*) FROM \"Song\"")
        for _ in 0..<5 { try commit() }
        let first = try #require(store.foreignBlockage())
        for _ in 0..<5 { try commit() }
        let second = try #require(store.foreignBlockage())
        #expect(second > first && first >= .zero)
        // A read of this process that began later is not the cause.
        let later = try store.beginRead(CancellationFlag())
        #expect(store.foreignBlockage() == second)
        later.end()
        try other.execute("COMMIT")
        for _ in 0..<5 { try commit() }
        #expect(store.foreignBlockage() == nil)
        other.close()
        #expect(try store.verify() == [])
        try store.close()
    }

    @Test func `a read that lasts does not stop the writer`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try store.write { writer in
            try writer.insert(.artist, 1, "A", nil, 1, nil)
            try writer.insert(.song, 1, "S", 1, .bytes([UInt8](repeating: 0, count: 1_000_000)))
        }
        let reader = try store.beginRead(CancellationFlag())
        for number in 1...30 {
            try store.write { writer in
                let bytes = [UInt8](repeating: UInt8(number), count: 1_000_000)
                _ = try writer.update(.song, 1, "S", 1, .bytes(bytes))
            }
        }
        #expect(try reader.find(.song, 1)?[3] == .bytes([UInt8](repeating: 0, count: 1_000_000)))
        reader.end()
        #expect(try store.read { try $0.find(.song, 1)?[3] } == .bytes([UInt8](repeating: 30, count: 1_000_000)))
        #expect(try store.verify() == [])
        try store.close()
    }
}
