import GranaryCore
import Testing

@testable import GranaryKeyValue
import TestSupport

@Suite struct RecordingTests {
    private typealias A = Archive

    private static func filled(_ engine: TriedEngine) throws -> TriedStore {
        let tried = try TriedStore(engine, A.entities)
        try tried.store.write { writer in
            try writer.insert(["Ada", nil, 1], into: A.person)
            try writer.insert(["Bob", "Ada", nil], into: A.person)
            try writer.insert([1, "root", nil, "Ada"], into: A.folder)
            try writer.insert([2, "left", 1, "Ada"], into: A.folder)
            try writer.insert([3, "deep", 2, "Bob"], into: A.folder)
            try writer.insert([A.uuid(1), 3, nil, "text"], into: A.note)
            try writer.insert([A.uuid(2), nil, nil, "other"], into: A.note)
            for text in ["a", "b\0c", ""] as [Value] { try writer.insert([text, 1], into: A.word) }
            try writer.insert([A.long("x"), 2], into: A.word)
            for key in [-3, 0, 9] as [Value] { try writer.insert([key, 0.5], into: A.mark) }
        }
        return tried
    }

    @Test(arguments: TriedEngine.allCases)
    func `what is inserted, changed and deleted is noted with its key and attributes`(_ engine: TriedEngine) throws {
        let tried = try RecordingTests.filled(engine)
        let changes = try tried.store.changes { writer in
            try writer.insert([0, "new", nil, nil], into: A.folder)
            try writer.upsert([0, "newer", nil, nil], into: A.folder)
            try writer.upsert([2, "left", nil, "Bob"], into: A.folder)
            try writer.update(["Bob", "Ada", 7], in: A.person)
            try writer.update([A.uuid(2), 1, "Ada", "else"], in: A.note)
            try writer.upsert([A.long("y"), nil], into: A.word)
            try writer.delete(A.long("x"), from: A.word)
            try writer.delete(0, from: A.mark)
        }
        #expect(
            changes == [
                .updated(2, A.folder, 2, 3), .inserted(4, A.folder), .inserted(5, A.folder),
                .updated("Bob", A.person, 2), .updated(A.uuid(2), A.note, 1, 2, 3), .deleted(A.long("x"), A.word),
                .inserted(A.long("y"), A.word), .deleted(0, A.mark),
            ])
    }

    @Test(arguments: TriedEngine.allCases)
    func `a row that is set to what it was, one that is not there and one that is refused are not noted`(
        _ engine: TriedEngine
    ) throws {
        let tried = try RecordingTests.filled(engine)
        let changes = try tried.store.changes { writer in
            try writer.update([1, "root", nil, "Ada"], in: A.folder)
            try writer.upsert(["Ada", nil, 1], into: A.person)
            _ = try writer.updateAll(request(A.mark), setting: [Assignment(position: 1, value: 0.5)])
            try writer.update([77, "none", nil, nil], in: A.folder)
            try writer.delete(5, from: A.mark)
            _ = try writer.deleteAll(request(A.mark, .compare(position: 0, .greater, 100)))
            #expect(code { try writer.insert([0, "root", nil, nil], into: A.folder) } == .uniqueness)
            #expect(code { try writer.upsert([3, "root", nil, nil], into: A.folder) } == .uniqueness)
            #expect(code { try writer.insert([0, nil], into: A.mark) } == .uniqueness)
            #expect(code { try writer.update([3, "deep", 50, nil], in: A.folder) } == .danglingReference)
        }
        #expect(changes == [])
        #expect(try tried.store.read { $0.transactionNumber } == 1)
    }

    @Test(arguments: TriedEngine.allCases)
    func `what the rules of a deletion delete and change is noted, too`(_ engine: TriedEngine) throws {
        let tried = try RecordingTests.filled(engine)
        try tried.store.write { writer in try writer.update(["Bob", "Ada", nil], in: A.person) }
        let cascaded = try tried.store.changes { try $0.delete(2, from: A.folder) }
        #expect(cascaded == [.deleted(2, A.folder), .deleted(3, A.folder), .deleted(A.uuid(1), A.note)])
        let nullified = try tried.store.changes { try $0.delete("Ada", from: A.person) }
        #expect(nullified == [.updated(1, A.folder, 3), .deleted("Ada", A.person), .updated("Bob", A.person, 1)])
        try tried.store.write { try $0.update([A.uuid(2), nil, "Bob", "other"], in: A.note) }
        let denied = try tried.store.changes { writer in
            #expect(code { try writer.delete("Bob", from: A.person) } == .deniedDeletion)
        }
        #expect(denied == [])
    }

    @Test(arguments: TriedEngine.allCases)
    func `all rows that one statement sets or deletes are noted`(_ engine: TriedEngine) throws {
        let tried = try RecordingTests.filled(engine)
        let some = try tried.store.changes { writer in
            _ = try writer.updateAll(request(A.word), setting: [Assignment(position: 1, value: 2)])
            _ = try writer.deleteAll(request(A.mark, .compare(position: 0, .greater, -1)))
        }
        #expect(
            some == [
                .updated("", A.word, 1), .updated("a", A.word, 1), .updated("b\0c", A.word, 1), .deleted(0, A.mark),
                .deleted(9, A.mark),
            ])
        let all = try tried.store.changes { writer in
            for entity in [A.note, A.word, A.mark] { _ = try writer.deleteAll(request(entity)) }
            _ = try writer.deleteAll(request(A.word))
        }
        #expect(
            all == [
                .deleted(A.uuid(1), A.note), .deleted(A.uuid(2), A.note), .deleted("", A.word), .deleted("a", A.word),
                .deleted("b\0c", A.word), .deleted(A.long("x"), A.word), .deleted(-3, A.mark),
            ])
        #expect(try tried.store.verify() == [])
    }

    @Test(arguments: TriedEngine.allCases)
    func `what is undone is not noted, by a savepoint or by a statement that fails`(_ engine: TriedEngine) throws {
        let tried = try RecordingTests.filled(engine)
        let changes = try tried.store.changes { writer in
            try writer.insert([20, nil], into: A.mark)
            try writer.beginSavepoint()
            try writer.insert([21, nil], into: A.mark)
            try writer.beginSavepoint()
            try writer.insert(["in", nil], into: A.word)
            try writer.releaseSavepoint()
            let names = [Assignment(position: 1, value: "same")]
            #expect(code { try writer.updateAll(request(A.folder), setting: names) } == .uniqueness)
            try writer.rollbackSavepoint()
            #expect(code { try writer.updateAll(request(A.folder), setting: names) } == .uniqueness)
            try writer.beginSavepoint()
            try writer.insert([22, nil], into: A.mark)
            try writer.releaseSavepoint()
            // Left open: the commit keeps what is in it.
            try writer.beginSavepoint()
            try writer.delete(20, from: A.mark)
        }
        #expect(changes == [.inserted(22, A.mark)])
    }

    @Test(arguments: TriedEngine.allCases)
    func `a recorder that comes inside a savepoint is cut with it`(_ engine: TriedEngine) throws {
        let tried = try RecordingTests.filled(engine)
        let recorder = ChangeRecorder()
        try tried.store.write { writer in
            try writer.beginSavepoint()
            try writer.record(into: recorder)
            try writer.insert([20, nil], into: A.mark)
            try writer.rollbackSavepoint()
            try writer.insert([21, nil], into: A.mark)
        }
        #expect(recorder.changes() == [.inserted(21, A.mark)])
    }

    @Test func `a statement in whose middle the engine fails is not noted`() throws {
        let engine = SortedArrayEngine()
        let store = try KeyValueStore(engine: engine, schema: Schema(entities: Archive.entities))
        try store.write { writer in
            try writer.insert([1, "root", nil, nil], into: A.folder)
            for key: Int64 in 2...4 {
                try writer.insert([.integer(key), .string("n\(key)"), 1, nil], into: A.folder)
                try writer.insert([A.uuid(UInt8(key)), .integer(key), nil, "text"], into: A.note)
            }
        }
        let statements: [(any StoreWriter) throws -> Void] = [
            { try $0.insert([9, "nine", nil, nil], into: A.folder) },
            { try $0.update([9, "ten", 1, nil], in: A.folder) },
            { _ = try $0.updateAll(request(A.note), setting: [Assignment(position: 3, value: "new")]) },
            { try $0.delete(1, from: A.folder) },
        ]
        var failures = 0
        for allowed in 0..<100 {
            engine.writesLeft = allowed
            let writer = try store.beginWrite()
            defer { writer.end() }
            let recorder = ChangeRecorder()
            try writer.record(into: recorder)
            for statement in statements {
                let before = recorder.changes()
                if code({ try statement(writer) }) == nil { continue }
                failures += 1
                #expect(recorder.changes() == before, "\(allowed)")
                break
            }
        }
        #expect(failures > 20 && failures < 100)
    }
}
