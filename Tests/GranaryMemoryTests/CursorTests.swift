import GranaryCore
import GranaryKeyValue
import GranaryMemory
import Testing

@Suite struct CursorTests {
    /// The keys 10, 20, … of a tree with many small leaves.
    private func makeTens(_ count: Int) throws -> MemoryEngine {
        let engine = try makeEngine(pageSize: 128)
        try write(engine) { writer in
            for index in 1...count { try writer.put(number(index * 10), number(index)) }
        }
        return engine
    }

    @Test func `a cursor in an empty keyspace finds nothing`() throws {
        let reader = try makeEngine().beginRead()
        defer { reader.end() }
        let cursor = try reader.cursor(in: one)
        #expect(try cursor.next() == nil)
        #expect(try cursor.previous() == nil)
        #expect(try cursor.first() == nil)
        #expect(try cursor.last() == nil)
        #expect(try cursor.seek([1]) == nil)
        #expect(try cursor.seek([]) == nil)
    }

    @Test func `skipping counts the entries before a bound and stands at the last of those asked for`() throws {
        let reader = try makeTens(100).beginRead()
        defer { reader.end() }
        let cursor = try reader.cursor(in: one)
        #expect(try cursor.skip(5, before: nil) == 0)
        for start in 1...100 {
            for bound in [5, 10, 15, 490, 500, 505, 1000, 1005] {
                for most in [0, 1, 7, 40, Int.max] {
                    _ = try cursor.seek(number(start * 10))
                    let passed = try number(bound).withUnsafeBytes { try cursor.skip(most, before: $0) }
                    let there = max(0, (bound + 9) / 10 - 1 - start)
                    #expect(passed == min(most, there, 100 - start))
                    if passed == most {
                        let next = start + most + 1
                        #expect(try cursor.stepOn() == (next > 100 ? nil : Entry(number(next * 10), number(next))))
                    }
                }
            }
            _ = try cursor.seek(number(start * 10))
            #expect(try cursor.skip(.max, before: nil) == 100 - start)
        }
    }

    @Test func `entries that follow are read together, and the cursor stands at the last of them`() throws {
        let reader = try makeTens(100).beginRead()
        defer { reader.end() }
        let cursor = try reader.cursor(in: one)
        for start in 1...100 {
            for most in [0, 1, 3, 200] {
                _ = try cursor.seek(number(start * 10))
                let found = try withUnsafeTemporaryAllocation(of: KeyValueEntry.self, capacity: most) { room in
                    room[..<(try cursor.next(into: room))].map { Entry($0) }
                }
                #expect(found.isEmpty == (most == 0 || start == 100))
                #expect(found == found.indices.map { Entry(number((start + 1 + $0) * 10), number(start + 1 + $0)) })
                let next = start + found.count + 1
                if most == 0 || !found.isEmpty {
                    #expect(try cursor.stepOn() == (next > 100 ? nil : Entry(number(next * 10), number(next))))
                }
            }
        }
    }

    @Test func `a seek finds the key itself, or the next one, or nothing after the last`() throws {
        let reader = try makeTens(100).beginRead()
        defer { reader.end() }
        let cursor = try reader.cursor(in: one)
        for index in 1...100 {
            let expected = Entry(number(index * 10), number(index))
            #expect(try cursor.seek(number(index * 10)) == expected)
            #expect(try cursor.seek(number(index * 10 - 9)) == expected)
        }
        #expect(try cursor.seek([]) == Entry(number(10), number(1)))
        #expect(try cursor.seek(number(1001)) == nil)
        #expect(try cursor.seek([255]) == nil)
    }

    @Test func `a cursor that has passed an end stands nowhere until it is placed again`() throws {
        let reader = try makeTens(40).beginRead()
        defer { reader.end() }
        let cursor = try reader.cursor(in: one)
        #expect(try cursor.last()?.value.count == 8)
        #expect(try cursor.next() == nil)
        #expect(try cursor.previous() == nil)
        #expect(try cursor.next() == nil)
        #expect(try cursor.first()?.value.count == 8)
        #expect(try cursor.previous() == nil)
        #expect(try cursor.next() == nil)
        #expect(try cursor.seek(number(9999)) == nil)
        #expect(try cursor.previous() == nil)
        #expect(try cursor.seek(number(20)) == Entry(number(20), number(2)))
        #expect(try cursor.stepOn() == Entry(number(30), number(3)))
    }

    @Test func `steps turn around anywhere, also between leaves`() throws {
        let reader = try makeTens(60).beginRead()
        defer { reader.end() }
        let cursor = try reader.cursor(in: one)
        for index in 2...59 {
            _ = try cursor.seek(number(index * 10))
            #expect(try cursor.stepOn() == Entry(number(index * 10 + 10), number(index + 1)))
            #expect(try cursor.stepBack() == Entry(number(index * 10), number(index)))
            #expect(try cursor.stepBack() == Entry(number(index * 10 - 10), number(index - 1)))
        }
    }

    @Test func `a step after a write throws, and a new place is in the new state`() throws {
        let writer = try makeTens(100).beginWrite()
        defer { writer.end() }
        let changes: [(any KeyValueWriter) throws -> Void] = [
            { try $0.put(number(5), []) },
            { try $0.put(number(20), [1, 2, 3]) },
            { try $0.put(number(5000), [], mode: .append) },
            { try $0.remove(number(500)) },
            { try $0.put([9], [], in: two) },
            {
                try $0.beginSavepoint(); try $0.rollbackSavepoint()
            },
            { try $0.deleteAll(in: one) },
        ]
        for change in changes {
            let cursor = try writer.cursor(in: one)
            _ = try cursor.first()
            try change(writer)
            expectError(.cursorInvalidated) { _ = try cursor.next() }
            expectError(.cursorInvalidated) { _ = try cursor.previous() }
            #expect(try cursor.first().map(Entry.init) == writer.all().first)
            #expect(try cursor.last().map(Entry.init) == writer.all().last)
        }
    }

    @Test func `calls that change nothing leave cursors in place`() throws {
        let writer = try makeTens(100).beginWrite()
        defer { writer.end() }
        let cursor = try writer.cursor(in: one)
        _ = try cursor.first()
        #expect(try !writer.put(number(10), [1], mode: .insert))
        #expect(try !writer.remove(number(11)))
        try writer.beginSavepoint()
        try writer.releaseSavepoint()
        #expect(try cursor.stepOn() == Entry(number(20), number(2)))
    }

    @Test func `a tree that grows deeper under a cursor can be read by it`() throws {
        let writer = try makeEngine(pageSize: 128).beginWrite()
        defer { writer.end() }
        let cursor = try writer.cursor(in: one)
        for index in 0..<2000 {
            try writer.put(number(index), [])
            if index % 100 == 0 { #expect(try cursor.last().map(Entry.init) == Entry(number(index), [])) }
        }
        #expect(try cursor.seek(number(1234)) == Entry(number(1234), []))
        #expect(try cursor.stepBack() == Entry(number(1233), []))
    }

    @Test func `a cursor keeps its transaction, and ends with it`() throws {
        let engine = try makeTens(10)
        var reader: (any KeyValueReader)? = try engine.beginRead()
        let cursor = try #require(try reader?.cursor(in: one))
        reader = nil
        #expect(try cursor.seek(number(50)) == Entry(number(50), number(5)))
        let other = try engine.beginRead()
        let ended = try other.cursor(in: one)
        _ = try ended.first()
        other.end()
        expectError(.closed) { _ = try ended.next() }
        expectError(.closed) { _ = try ended.previous() }
        expectError(.closed) { _ = try ended.first() }
        expectError(.closed) { _ = try ended.last() }
        expectError(.closed) { _ = try ended.seek([1]) }
    }
}
