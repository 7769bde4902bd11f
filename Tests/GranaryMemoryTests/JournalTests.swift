import GranaryCore
import GranaryKeyValue
import GranaryMemory
import TestSupport
import Testing

/// What a ``JournalingWriter`` notes, and what becomes of it.
@Suite struct JournalTests {
    /// Writes through a journal, and returns what the commits gave to it.
    private func changes(_ engine: MemoryEngine, _ body: (JournalingWriter) throws -> Void) throws -> [[UInt8]] {
        let journal = Journal()
        let writer = JournalingWriter(try engine.beginWrite()) { journal.commits.append($0) }
        defer { writer.end() }
        try body(writer)
        try writer.commit()
        return journal.commits
    }

    private final class Journal {
        var commits: [[UInt8]] = []
    }

    private func apply(_ changes: [UInt8], to engine: MemoryEngine) throws {
        try write(engine) { writer in
            try changes.withUnsafeBytes { try KeyValueChanges.apply($0, to: writer) }
        }
    }

    private static let put: [UInt8] = [1, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 7, 8, 1, 2, 3]
    private static let delete: [UInt8] = [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9]
    private static let deleteAll: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]

    @Test func `the changes of a commit have these bytes`() throws {
        let engine = try makeEngine()
        try write(engine) { try $0.put([9], []) }
        let found = try changes(engine) { writer in
            try writer.put([7, 8], [1, 2, 3])
            try writer.remove([9])
            try writer.deleteAll(in: two)
        }
        #expect(found == [Self.put + Self.delete + Self.deleteAll])
    }

    @Test func `what changes nothing is not noted, and a commit without changes is not told`() throws {
        let engine = try makeEngine()
        try write(engine) { try $0.put([1], [1]) }
        let found = try changes(engine) { writer in
            #expect(try !writer.put([1], [2], mode: .insert))
            #expect(try !writer.remove([2]))
            expectError(.limit) { try writer.put([], [1]) }
            try writer.beginSavepoint()
            try writer.put([3], [3])
            try writer.rollbackSavepoint()
        }
        #expect(found == [])
        let entries = try read(engine) { try $0.all() }
        #expect(entries == [Entry([1], [1])])
    }

    @Test func `a commit that the journal refuses has not happened, and the next writer has its turn`() throws {
        let engine = try makeEngine()
        let writer = JournalingWriter(try engine.beginWrite()) { _ in throw GranaryError(.full, "full") }
        try writer.put([1], [1])
        expectError(.full) { try writer.commit() }
        expectError(.closed) { try writer.put([2], [2]) }
        #expect(try changes(engine) { try $0.put([3], [3]) }.count == 1)
        let entries = try read(engine) { try $0.all() }
        #expect(entries == [Entry([3], [3])])
    }

    @Test func `applied to another engine the changes of random transactions make the same entries`() throws {
        for seed in (1...20).map(TestSeed.of) {
            var numbers = SeededNumbers(seed: seed)
            let (engine, copy) = (try makeEngine(), try makeEngine())
            for _ in 0..<8 {
                let found = try changes(engine) { writer in
                    var depth = 0
                    for _ in 0..<30 {
                        let space = Bool.random(using: &numbers) ? one : two
                        let key = [UInt8.random(in: 0..<20, using: &numbers)]
                        let value = [UInt8](repeating: key[0], count: Int.random(in: 0..<4, using: &numbers))
                        switch Int.random(in: 0..<20, using: &numbers) {
                        case 0: try writer.deleteAll(in: space)
                        case 1, 2:
                            try writer.beginSavepoint()
                            depth += 1
                        case 3 where depth > 0:
                            try writer.releaseSavepoint()
                            depth -= 1
                        case 4 where depth > 0:
                            try writer.rollbackSavepoint()
                            depth -= 1
                        case 5...9: try writer.remove(key, in: space)
                        case 10...13: try writer.put(key, value, in: space, mode: .insert)
                        default: try writer.put(key, value, in: space)
                        }
                    }
                    for _ in 0..<depth { try writer.releaseSavepoint() }
                }
                for commit in found { try apply(commit, to: copy) }
                for space in [one, two] {
                    let expected = try read(engine) { try $0.all(in: space) }
                    let made = try read(copy) { try $0.all(in: space) }
                    #expect(made == expected, "seed \(seed)")
                }
            }
        }
    }

    @Test func `changes that are cut off anywhere but between two are corrupt`() throws {
        let whole = Self.put + Self.delete + Self.deleteAll
        let ends = [0, Self.put.count, Self.put.count + Self.delete.count, whole.count]
        for length in 0...whole.count {
            let engine = try makeEngine()
            if ends.contains(length) {
                try apply(Array(whole[..<length]), to: engine)
            } else {
                expectError(.corrupt) { try apply(Array(whole[..<length]), to: engine) }
                let entries = try read(engine) { try $0.all() }
                #expect(entries.isEmpty, "cut at \(length)")
            }
        }
    }
}
