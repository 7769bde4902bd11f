import GranaryCore
import GranaryKeyValue
import GranaryMemory
import Testing

@Suite struct WriterTests {
    @Test func `insert leaves a key that is there, replace and append overwrite it`() throws {
        let engine = try makeEngine()
        try write(engine) { (writer) throws in
            #expect(try writer.put([1], [10], mode: .insert))
            #expect(try !writer.put([1], [11], mode: .insert))
            #expect(try writer.value([1]) == [10])
            #expect(try writer.put([1], [12], mode: .replace))
            #expect(try writer.put([2], [20], mode: .replace))
            #expect(try writer.put([1], [13], mode: .append))
        }
        #expect(try engine.beginRead().all() == [Entry([1], [13]), Entry([2], [20])])
    }

    @Test func `an append that is not at the end lands where it belongs`() throws {
        let engine = try makeEngine(pageSize: 128)
        try write(engine) { writer in
            for index in (0..<300).reversed() { try writer.put(number(index), number(index), mode: .append) }
        }
        #expect(try engine.beginRead().all() == (0..<300).map { Entry(number($0), number($0)) })
        try engine.checkInvariants()
    }

    @Test func `an empty value is not a missing one`() throws {
        let engine = try makeEngine()
        try write(engine) { try $0.put([1], []) }
        try read(engine) { (reader) throws in
            #expect(try reader.value([1]) == [])
            #expect(try reader.value([2]) == nil)
            #expect(try reader.value([]) == nil)
        }
    }

    @Test func `keys that differ only in zeros at the end are different keys in order`() throws {
        let engine = try makeEngine()
        let keys: [[UInt8]] = (1...12).map { [UInt8](repeating: 0, count: $0) }
        try write(engine) { writer in
            for key in keys.shuffled() { try writer.put(key, [UInt8(key.count)]) }
        }
        #expect(try engine.beginRead().all() == keys.map { Entry($0, [UInt8($0.count)]) })
    }

    @Test func `keyspaces are independent`() throws {
        let engine = try makeEngine()
        try write(engine) { writer in
            try writer.put([1], [1], in: one)
            try writer.put([2], [2], in: two)
            try writer.deleteAll(in: one)
        }
        #expect(try engine.beginRead().all(in: one) == [])
        #expect(try engine.beginRead().all(in: two) == [Entry([2], [2])])
    }

    @Test func `values of several megabytes are kept, replaced, undone and freed`() throws {
        let engine = try makeEngine()
        let big = [UInt8](repeating: 1, count: 5_000_000)
        let bigger = [UInt8](repeating: 2, count: 7_000_001)
        try write(engine) { try $0.put([1], big) }
        let old = try engine.beginRead()
        try write(engine) { writer in
            try writer.beginSavepoint()
            try writer.put([1], [3])
            try writer.rollbackSavepoint()
            #expect(try writer.value([1]) == big)
            try writer.put([1], bigger)
            #expect(try writer.value([1]) == bigger)
        }
        #expect(try old.value([1]) == big)
        #expect(try engine.beginRead().value([1]) == bigger)
        old.end()
        #expect(engine.pageCount == 2)
        try write(engine) { try $0.remove([1]) }
        #expect(engine.pageCount == 0)
    }

    @Test func `the longest keys work and longer ones are refused`() throws {
        let engine = try makeEngine()
        let size = engine.limits.keySize
        #expect(size >= 64 * 1024)
        let keys = (0..<60).map { [UInt8](repeating: 5, count: size - 1) + [UInt8($0)] }
        try write(engine) { writer in
            for key in keys.shuffled() { try writer.put(key, [1]) }
            try writer.checkMemoryInvariants()
            expectError(.limit) { try writer.put(keys[0] + [0], []) }
            expectError(.limit) { try writer.put([], []) }
            for key in keys { #expect(try writer.value(key) == [1]) }
            for key in keys.shuffled().dropLast() { #expect(try writer.remove(key)) }
            try writer.checkMemoryInvariants()
        }
        #expect(try engine.beginRead().count(in: one) == 1)
    }

    @Test func `sizes beyond the limits are refused before anything changes`() throws {
        let engine = try makeEngine()
        try write(engine) { writer in
            try writer.put([1], [1])
            let limit = engine.limits.valueSize
            [1].withUnsafeBytes { key in
                expectError(.limit) { _ = try writer.reserve(key, count: -1, in: one, mode: .replace) }
                expectError(.limit) { _ = try writer.reserve(key, count: limit + 1, in: one, mode: .replace) }
            }
            #expect(try writer.value([1]) == [1])
        }
    }

    @Test func `a keyspace that was not prepared is an error that says so`() throws {
        let engine = try makeEngine()
        let reader = try engine.beginRead()
        defer { reader.end() }
        expectError(.unknownEntity) { _ = try reader.count(in: Keyspace(77)) }
        expectError(.unknownEntity) { _ = try reader.cursor(in: Keyspace(.max)) }
        try engine.prepare(keyspaces: [Keyspace(77), two, Keyspace(.max), Keyspace(0)])
        try write(engine) { writer in
            for (index, number) in [77, UInt32.max, 0, 1, 2].enumerated() {
                try writer.put([1], [UInt8(index)], in: Keyspace(number))
            }
        }
        try read(engine) { (reader) throws in
            for (index, number) in [77, UInt32.max, 0, 1, 2].enumerated() {
                #expect(try reader.value([1], in: Keyspace(number)) == [UInt8(index)])
            }
        }
        expectError(.unknownEntity) { _ = try reader.count(in: Keyspace(77)) }
    }

    @Test func `a key may lie in the page that the call changes`() throws {
        let engine = try makeEngine(pageSize: 256)
        try write(engine) { writer in
            for index in 0..<200 { try writer.put(bytes("key") + number(index), number(index)) }
            for round in 1...3 {
                for index in 0..<200 {
                    let cursor = try writer.cursor(in: one)
                    let found = try (bytes("key") + number(index)).withUnsafeBytes { try cursor.seek(atOrAfter: $0) }
                    let entry = try #require(found)
                    let room = try writer.reserve(entry.key, count: round * 30, in: one, mode: .replace)
                    try #require(room).copyBytes(from: [UInt8](repeating: UInt8(round), count: round * 30))
                }
            }
            try writer.checkMemoryInvariants()
            #expect(
                try writer.all()
                    == (0..<200).map {
                        Entry(bytes("key") + number($0), [UInt8](repeating: 3, count: 90))
                    })
            while let entry = try writer.cursor(in: one).last() { #expect(try writer.delete(entry.key, in: one)) }
            #expect(try writer.count(in: one) == 0)
        }
        #expect(engine.pageCount == 0)
    }

    @Test func `a transaction that is ended or dropped leaves nothing behind`() throws {
        let engine = try makeEngine(pageSize: 256)
        try write(engine) { writer in for index in 0..<100 { try writer.put(number(index), [1]) } }
        let before = engine.pageCount
        for drops in [true, false] {
            let writer = try engine.beginWrite()
            for index in 50..<500 { try writer.put(number(index), [2]) }
            try writer.beginSavepoint()
            try writer.deleteAll(in: one)
            if !drops { writer.end() }
        }
        #expect(engine.pageCount == before)
        #expect(try engine.beginRead().all() == (0..<100).map { Entry(number($0), [1]) })
    }

    @Test func `a transaction that has ended throws closed`() throws {
        let engine = try makeEngine()
        let writer = try engine.beginWrite()
        try writer.put([1], [1])
        try writer.commit()
        writer.end()
        expectError(.closed) { try writer.put([2], [2]) }
        expectError(.closed) { try writer.remove([1]) }
        expectError(.closed) { try writer.deleteAll(in: one) }
        expectError(.closed) { try writer.beginSavepoint() }
        expectError(.closed) { try writer.releaseSavepoint() }
        expectError(.closed) { try writer.rollbackSavepoint() }
        expectError(.closed) { try writer.commit() }
        expectError(.closed) { _ = try writer.value([1]) }
        expectError(.closed) { _ = try writer.count(in: one) }
        expectError(.closed) { _ = try writer.cursor(in: one) }
        #expect(try engine.beginRead().value([1]) == [1])
    }
}
