import GranaryCore
import GranaryKeyValue
import GranaryMemory
import Testing

@Suite struct SavepointTests {
    @Test func `two hundred nested savepoints undo one by one`() throws {
        let engine = try makeEngine(pageSize: 128)
        try write(engine) { writer in
            for level in 0..<200 {
                try writer.beginSavepoint()
                try writer.put(number(level), number(level))
                try writer.put(number(1000), number(level))
            }
            for level in (100..<200).reversed() {
                #expect(try writer.count(in: one) == level + 2)
                #expect(try writer.value(number(1000)) == number(level))
                try writer.rollbackSavepoint()
                try writer.checkMemoryInvariants()
            }
            for _ in 0..<100 { try writer.releaseSavepoint() }
        }
        #expect(try engine.beginRead().count(in: one) == 101)
        try write(engine) { try $0.deleteAll(in: one) }
        #expect(engine.pageCount == 0)
    }

    @Test func `rolling back an outer savepoint undoes what a released inner one wrote`() throws {
        let engine = try makeEngine()
        try write(engine) { writer in
            try writer.put([1], [1])
            try writer.beginSavepoint()
            try writer.beginSavepoint()
            try writer.put([1], [2])
            try writer.put([2], [2])
            try writer.releaseSavepoint()
            #expect(try writer.value([2]) == [2])
            try writer.rollbackSavepoint()
            try writer.put([3], [3])
        }
        #expect(try engine.beginRead().all() == [Entry([1], [1]), Entry([3], [3])])
    }

    @Test func `a commit keeps what open savepoints wrote`() throws {
        let engine = try makeEngine()
        try write(engine) { writer in
            try writer.beginSavepoint()
            try writer.put([1], [1])
            try writer.beginSavepoint()
            try writer.put([1], [2])
        }
        #expect(try engine.beginRead().value([1]) == [2])
        #expect(engine.pageCount == 1)
    }

    @Test func `ending a savepoint that is not open is an error`() throws {
        let engine = try makeEngine()
        try write(engine) { writer in
            expectError(.closed) { try writer.releaseSavepoint() }
            expectError(.closed) { try writer.rollbackSavepoint() }
            try writer.put([1], [1])
        }
        #expect(try engine.beginRead().count(in: one) == 1)
    }

    @Test func `a released savepoint frees the pages that only it needed`() throws {
        let engine = try makeEngine(pageSize: 128)
        try write(engine) { writer in
            for index in 0..<200 { try writer.put(number(index), number(index)) }
            let before = engine.pageCount
            for round in 0..<50 {
                try writer.beginSavepoint()
                for index in 0..<200 { try writer.put(number(index), number(round)) }
                try writer.releaseSavepoint()
            }
            #expect(engine.pageCount == before)
            for _ in 0..<50 {
                try writer.beginSavepoint()
                try writer.deleteAll(in: one)
                try writer.rollbackSavepoint()
            }
            #expect(engine.pageCount == before)
        }
    }
}
