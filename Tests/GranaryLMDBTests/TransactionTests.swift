import GranaryCore
import GranaryKeyValue
import Testing

@testable import GranaryLMDB
import TestSupport

@Suite struct TransactionTests {
    let folder: TemporaryFolder
    let engine: LMDBEngine

    init() throws {
        folder = try TemporaryFolder()
        engine = try GranaryLMDBTests.engine(in: folder, keyspaces: [Keyspace(0), one, Keyspace(7)])
    }

    @Test func `insert keeps what is there, replace and append write`() throws {
        try engine.write { writer in
            #expect(try writer.put("a", "1", mode: .insert))
            #expect(try !writer.put("a", "2", mode: .insert))
            #expect(try writer.value("a") == "1")
            try writer.put("a", "3", mode: .replace)
            try writer.put("c", "4", mode: .append)
            try writer.put("b", "5", mode: .append)
            try writer.put("c", "6", mode: .append)
        }
        try engine.inspect { reader throws in
            #expect(try reader.keys() == ["a", "b", "c"])
            #expect(try reader.value("a") == "3")
            #expect(try reader.value("c") == "6")
            #expect(try reader.count(in: one) == 3)
            #expect(try reader.value("a", in: Keyspace(7)) == nil)
        }
    }

    @Test func `keys of 511 bytes, values of none and of megabytes come back`() throws {
        let long = [UInt8](repeating: 0xFF, count: 511)
        let big = (0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try engine.write { writer in
            try writer.put(long, [])
            try writer.put([0], big)
            #expect(code { try writer.put(long + [0], []) } == .limit)
            #expect(code { try writer.put([], []) } == .limit)
            #expect(try writer.value([0]) == big)
        }
        try engine.inspect { reader throws in
            #expect(try reader.value(long) == [])
            #expect(try reader.value([0]) == big)
            let cursor = try reader.cursor(in: one)
            let found = try [long + [0], [UInt8](repeating: 0xFE, count: 600)].map { key in
                try key.withUnsafeBytes { try cursor.seek(atOrAfter: $0)?.key.count }
            }
            #expect(found == [nil, 511])
        }
    }

    @Test func `a cursor walks both ways and stands nowhere past the ends`() throws {
        try engine.write { for key in ["b", "d", "f"] { try $0.put(key) } }
        try engine.inspect { reader throws in
            let cursor = try reader.cursor(in: one)
            #expect(try cursor.key { try $0.next() } == nil)
            #expect(try cursor.key { try $0.first() } == "b")
            #expect(try cursor.key { try $0.previous() } == nil)
            #expect(try cursor.key { try $0.next() } == nil)
            #expect(try cursor.seek("c") == "d")
            #expect(try cursor.key { try $0.next() } == "f")
            #expect(try cursor.key { try $0.previous() } == "d")
            #expect(try cursor.key { try $0.last() } == "f")
            #expect(try cursor.key { try $0.next() } == nil)
            #expect(try cursor.key { try $0.previous() } == nil)
            #expect(try cursor.seek("") == "b")
            #expect(try cursor.seek("g") == nil)
        }
    }

    @Test func `a cursor is stale after a write and closed after the end`() throws {
        let writer = try engine.beginWrite()
        try writer.put("a")
        let cursor = try writer.cursor(in: one)
        #expect(try cursor.key { try $0.first() } == "a")
        #expect(try !writer.put("a", mode: .insert))
        #expect(try !writer.remove("none"))
        #expect(try cursor.key { try $0.first() } == "a")
        try writer.put("b")
        #expect(code { _ = try cursor.next() } == .cursorInvalidated)
        let second = try writer.cursor(in: one)
        try writer.beginSavepoint()
        #expect(code { _ = try second.next() } == .cursorInvalidated)
        #expect(try second.key { try $0.first() } == "a")
        try writer.rollbackSavepoint()
        let third = try writer.cursor(in: one)
        try writer.commit()
        #expect(code { _ = try third.first() } == .closed)
        #expect(code { _ = try writer.value("a") } == .closed)
        writer.end()
        let reader = try engine.beginRead()
        let fourth = try reader.cursor(in: one)
        reader.end()
        reader.end()
        #expect(code { _ = try fourth.first() } == .closed)
        #expect(code { _ = try reader.count(in: one) } == .closed)
    }

    @Test func `a snapshot does not see later writes`() throws {
        try engine.write { try $0.put("a", "old") }
        let snapshot = try engine.beginRead()
        try engine.write {
            try $0.put("a", "new"); try $0.put("b", "new")
        }
        #expect(try snapshot.value("a") == "old")
        #expect(try snapshot.keys() == ["a"])
        snapshot.end()
        #expect(try engine.read { try $0.value("a") } == "new")
    }

    @Test func `an ended write transaction leaves no trace`() throws {
        let writer = try engine.beginWrite()
        try writer.put("a")
        try writer.beginSavepoint()
        try writer.put("b")
        writer.end()
        #expect(try engine.read { try $0.keys() } == [])
    }

    @Test func `a hundred savepoints nest, and each undoes only its own writes`() throws {
        try engine.write { writer in
            for level in 0..<110 {
                try writer.beginSavepoint()
                try writer.put([UInt8(level)], [UInt8](repeating: UInt8(level), count: 300))
            }
            for level in (0..<110).reversed() {
                if level % 2 == 0 { try writer.releaseSavepoint() } else { try writer.rollbackSavepoint() }
            }
            #expect(code { try writer.releaseSavepoint() } == .closed)
        }
        // Rolling back an outer level undoes what the inner ones had released into it: only level 0 is left.
        #expect(try engine.read { try $0.entries().map { $0.0 } } == [[0]])
    }

    @Test func `deleteAll empties one keyspace, also inside a savepoint`() throws {
        try engine.write { writer in
            for index in 0..<500 {
                try writer.put("\(index)", String(repeating: "x", count: index * 20))
                try writer.put("\(index)", "y", in: Keyspace(7))
            }
        }
        try engine.write { writer in
            try writer.beginSavepoint()
            try writer.deleteAll(in: one)
            #expect(try writer.count(in: one) == 0)
            try writer.rollbackSavepoint()
            #expect(try writer.count(in: one) == 500)
            try writer.deleteAll(in: Keyspace(7))
            try writer.put("z", in: Keyspace(7))
        }
        #expect(try engine.read { [try $0.count(in: one), try $0.count(in: Keyspace(7))] } == [500, 1])
        try engine.close()
        try LMDBFileCheck.walk(path: folder.data)
    }

    @Test func `a second writer on the same thread is refused, on another it times out`() throws {
        try engine.close()
        let folder = try TemporaryFolder()
        let engine = try GranaryLMDBTests.engine(in: folder, options: .init(busyTimeout: .milliseconds(50)))
        let writer = try engine.beginWrite()
        #expect(code { _ = try engine.beginWrite() } == .reentrantWrite)
        onAnotherThread {
            let failure = #expect(throws: GranaryError.self) { _ = try engine.beginWrite() }
            #expect(failure?.code == .busy)
            #expect(failure?.waited.map { $0 >= .milliseconds(50) } == true)
        }
        writer.end()
        onAnotherThread {
            let failure = code { try engine.write { try $0.put("a") } }
            #expect(failure == nil)
        }
        #expect(try engine.read { try $0.keys() } == ["a"])
    }

    @Test func `a write transaction can only end on its own thread`() throws {
        nonisolated(unsafe) let writer = try engine.beginWrite()  // used by one thread at a time
        try writer.put("a")
        onAnotherThread {
            let failure = code { try writer.commit() }
            #expect(failure == .wrongThread)
        }
        try writer.commit()
        nonisolated(unsafe) let dropped = try engine.beginWrite()
        onAnotherThread { dropped.end() }
        #expect(code { _ = try dropped.value("a") } == .closed)
        try engine.write { try $0.put("b") }
        #expect(try engine.read { try $0.keys() } == ["a", "b"])
    }

    @Test func `a relaxed commit is to be synced, also if another sync came while it was being written`() throws {
        func isUnsynced() -> Bool { engine.lock.withLock { engine.state.hasUnsynced } }
        try engine.write { try $0.put("a") }
        #expect(!isUnsynced())
        let writer = try engine.beginWrite(.relaxed)
        try writer.put("b")
        try engine.synchronize()
        try writer.commit()
        #expect(isUnsynced())
        try engine.synchronize()
        #expect(!isUnsynced())
        try engine.beginWrite(.relaxed).end()
        #expect(!isUnsynced())
    }

    @Test func `an unprepared keyspace is an error`() throws {
        #expect(code { _ = try engine.read { try $0.value("a", in: Keyspace(2)) } } == .closed)
        #expect(code { try engine.write { try $0.put("a", in: Keyspace(99)) } } == .closed)
    }

    @Test func `more keyspaces can be prepared later, also many`() throws {
        try engine.write { try $0.put("a", "1") }
        try engine.prepare(keyspaces: (0..<300).map { Keyspace($0) })
        try engine.write { writer in
            for number in 0..<300 { try writer.put("k", "\(number)", in: Keyspace(UInt32(number))) }
        }
        #expect(try engine.read { try $0.value("a") } == "1")
        #expect(try engine.read { try $0.value("k", in: Keyspace(299)) } == "299")
    }
}
