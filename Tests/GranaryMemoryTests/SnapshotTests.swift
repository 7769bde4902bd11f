import GranaryPlatform
import Dispatch
import GranaryCore
import GranaryKeyValue
import GranaryMemory
import Synchronization
import Testing

@Suite struct SnapshotTests {
    @Test func `old pages are freed when the last snapshot that sees them ends`() throws {
        let engine = try makeEngine(pageSize: 256)
        func fill(_ value: UInt8) throws {
            try write(engine) { writer in for index in 0..<500 { try writer.put(number(index), [value]) } }
        }
        try fill(0)
        let one = engine.pageCount
        let readers = try (1...5).map { round in
            let reader = try engine.beginRead()
            try fill(UInt8(round))
            return reader
        }
        #expect(engine.pageCount == one * 6)
        for (ended, left) in [(2, 5), (1, 4), (4, 3), (0, 2), (0, 2)] {
            readers[ended].end()
            #expect(engine.pageCount == one * left)
        }
        #expect(try readers[3].all() == (0..<500).map { Entry(number($0), [3]) })
        readers[3].end()
        #expect(engine.pageCount == one)
    }

    @Test func `a page that several snapshots share is freed with the last of them`() throws {
        let engine = try makeEngine()
        try write(engine) { writer in
            try writer.put([1], [1], in: one)
            try writer.put([1], [1], in: two)
        }
        let first = try engine.beginRead()
        try write(engine) { try $0.put([1], [2], in: one) }
        let second = try engine.beginRead()
        try write(engine) { try $0.deleteAll(in: two) }
        try write(engine) { try $0.deleteAll(in: one) }
        #expect(engine.pageCount == 3)
        second.end()
        #expect(engine.pageCount == 2)
        #expect(try first.value([1], in: one) == [1])
        #expect(try first.value([1], in: two) == [1])
        first.end()
        #expect(engine.pageCount == 0)
    }

    @Test func `a snapshot held over a hundred thousand commits keeps its own pages only`() throws {
        let engine = try makeEngine()
        try write(engine) { try $0.put([1], [1]) }
        let reader = try engine.beginRead()
        for index in 0..<100_000 {
            try write(engine) { try $0.put([1], number(index)) }
        }
        #expect(try reader.value([1]) == [1])
        #expect(engine.pageCount == 2)
        reader.end()
        #expect(engine.pageCount == 1)
    }

    @Test func `an engine frees everything when it goes, after its last snapshot`() throws {
        var engine: MemoryEngine? = try makeEngine()
        try write(#require(engine)) { try $0.put([1], number(7)) }
        weak let gone = engine
        var reader = try engine?.beginRead()
        engine = nil
        #expect(try reader?.value([1]) == number(7))
        reader?.end()
        reader = nil
        #expect(gone == nil)
    }

    @Test func `a closed engine refuses transactions and lets snapshots end`() throws {
        let engine = try makeEngine()
        try write(engine) { try $0.put([1], [1]) }
        let reader = try engine.beginRead()
        try engine.close()
        try engine.close()
        #expect(try reader.value([1]) == [1])
        reader.end()
        #expect(engine.pageCount == 0)
        expectError(.closed) { _ = try engine.beginRead() }
        expectError(.closed) { _ = try engine.beginWrite() }
        expectError(.closed) { try engine.prepare(keyspaces: [one]) }
    }

    @Test func `a second writer on the same thread is refused and the first goes on`() throws {
        let engine = try makeEngine()
        let writer = try engine.beginWrite()
        defer { writer.end() }
        expectError(.reentrantWrite) { _ = try engine.beginWrite() }
        expectError(.reentrantWrite) { try engine.prepare(keyspaces: [Keyspace(9)]) }
        expectError(.reentrantWrite) { try engine.close() }
        try writer.put([1], [1])
        try writer.commit()
        try engine.beginWrite().end()
        #expect(try engine.beginRead().value([1]) == [1])
    }

    @Test func `writers on many threads take turns and lose nothing`() throws {
        let engine = try makeEngine(pageSize: 256)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<200 {
                do {
                    try write(engine) { writer in
                        let count = try writer.value([0]).map { $0.withUnsafeBytes { $0.loadUnaligned(as: Int.self) } }
                        try writer.put([0], withUnsafeBytes(of: (count ?? 0) + 1) { Array($0) })
                        try writer.put(number(thread * 1000 + round + 1), [])
                    }
                } catch {
                    Issue.record(error)
                }
            }
        }
        try read(engine) { (reader) throws in
            #expect(try reader.value([0]) == withUnsafeBytes(of: 1600) { Array($0) })
            #expect(try reader.count(in: one) == 1601)
        }
        try engine.checkInvariants()
    }

    @Test func `readers see whole commits while one writes`() throws {
        let engine = try makeEngine(pageSize: 256)
        let keys = 300
        // Every commit gives all keys one value, and leaves a hole of one key that wanders.
        @Sendable func commit(_ round: Int) throws {
            try write(engine) { writer in
                for index in 0..<keys { try writer.put(number(index), number(round)) }
                try writer.remove(number(round % keys))
                try writer.put([200], [UInt8](repeating: UInt8(round % 251), count: 20_000))
            }
        }
        try commit(0)
        let isDone = Atomic<Bool>(false)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            do {
                if thread == 0 {
                    defer { isDone.store(true, ordering: .relaxed) }
                    for round in 1...150 { try commit(round) }
                    return
                }
                var newest = 0
                repeat {
                    try read(engine) { reader in
                        let entries = try reader.all()
                        let value = try #require(entries.first?.value)
                        let round = value.reduce(0) { $0 << 8 | Int($1) }
                        #expect(round >= newest)
                        newest = round
                        var expected = (0..<keys).filter { $0 != round % keys }.map { Entry(number($0), value) }
                        expected.append(Entry([200], [UInt8](repeating: UInt8(round % 251), count: 20_000)))
                        try #require(entries == expected)
                    }
                } while !isDone.load(ordering: .relaxed)
            } catch {
                Issue.record(error)
            }
        }
        try engine.checkInvariants()
        try write(engine) { try $0.deleteAll(in: one) }
        #expect(engine.pageCount == 0)
    }

    @Test func `waiting writers are served in the order in which they came`() throws {
        let engine = try makeEngine()
        let order = Order()
        let writer = try engine.beginWrite()
        let group = DispatchGroup()
        for number in 0..<6 {
            let queue = DispatchQueue(label: "writer \(number)")
            queue.async(group: group) {
                do {
                    let writer = try engine.beginWrite()
                    order.append(number)
                    writer.end()
                } catch {
                    Issue.record(error)
                }
            }
            while engine.waitingWriters <= number { _ = queue.label }
        }
        writer.end()
        group.wait()
        #expect(order.numbers == [0, 1, 2, 3, 4, 5])
    }

    // @unchecked: the array is used under the lock only.
    private final class Order: @unchecked Sendable {
        private let lock = Lock()
        private var list: [Int] = []
        var numbers: [Int] { lock.withLock { list } }
        func append(_ number: Int) { lock.withLock { list.append(number) } }
    }
}
