import GranaryCore
import Testing

@testable import GranaryKeyValue
import TestSupport

private let genre = Entity(
    "Genre", key: "id", keyGeneration: .assigned,
    attributes: [Attribute("id", .int64), Attribute("name", .string), Attribute("code", .string, isOptional: true)],
    indexes: [.unique("name"), .unique("code", "name")])

@Suite struct WritingTests {
    @Test func `a second row with a key or a unique value is refused and changes nothing`() throws {
        let store = try newStore(genre)
        try store.write { writer in
            try writer.insert([5, "Rock", nil])
            try writer.insert([9, "Jazz", nil])
            #expect(code { try writer.insert([5, "Pop", nil]) } == .uniqueness)
            #expect(code { try writer.insert([6, "Rock", nil]) } == .uniqueness)
            #expect(code { try writer.update([9, "Rock", nil]) } == .uniqueness)
            #expect(code { try writer.upsert([7, "Jazz", nil]) } == .uniqueness)
            try writer.update([5, "Rock", "R"])
            try #expect(writer.values(request(), count: 3) == [[5, "Rock", "R"], [9, "Jazz", nil]])
        }
        #expect(try store.verify() == [])
    }

    @Test func `the error of a clash names the attributes, the key before all else`() throws {
        let store = try newStore(genre)
        try store.write { writer in
            try writer.insert([5, "Rock", nil])
            try writer.insert([6, "Jazz", nil])
            func attributes(_ values: [Value]) -> [String] {
                do {
                    try writer.insert(values)
                    return []
                } catch { return (error as? GranaryError)?.attributes ?? [] }
            }
            #expect(attributes([5, "Rock", nil]) == ["id"])
            #expect(attributes([7, "Rock", nil]) == ["name"])
        }
    }

    @Test func `assigned keys grow, follow explicit ones and are never used again`() throws {
        let engine = SortedArrayEngine()
        let store = try newStore(genre, engine: engine)
        try store.write { writer in
            try #expect(writer.insert([0, "a", nil]) == 1)
            try #expect(writer.insert([0, "b", nil]) == 2)
            try #expect(writer.insert([10, "c", nil]) == nil)
            try #expect(writer.upsert([0, "d", nil]) == 11)
            try #expect(writer.insert([-4, "e", nil]) == nil)
            #expect(code { try writer.insert([0, "a", nil]) } == .uniqueness)
            try #expect(writer.insert([0, "f", nil]) == 12)
            try writer.delete(12)
        }
        let again = try newStore(genre, engine: engine)
        try again.write { writer in
            try #expect(writer.insert([0, "g", nil]) == 13)
            try writer.beginSavepoint()
            try writer.insert([.integer(.max), "h", nil])
            #expect(code { try writer.insert([0, "i", nil]) } == .limit)
            try writer.rollbackSavepoint()
            try #expect(writer.insert([0, "i", nil]) == 14)
        }
        #expect(try again.verify() == [])
    }

    @Test func `update, upsert and delete say whether there was a row`() throws {
        let store = try newStore(artist)
        try store.write { writer in
            try #expect(writer.update([1, "a", nil, nil]) == false)
            try #expect(writer.delete(1) == false)
            try writer.upsert([1, "a", nil, nil])
            try #expect(writer.update([1, "b", 2.0, nil]) == true)
            try writer.upsert([1, "c", 2.0, 4])
            try #expect(writer.values(request(), count: 4) == [[1, "c", 2.0, 4]])
            try #expect(writer.keys(request(0, .compare(position: 1, .equal, "b"))) == [])
            try #expect(writer.delete(1) == true)
            try #expect(writer.count(request()) == 0)
        }
        #expect(try store.verify() == [])
    }

    @Test func `updateAll sets attributes of the rows named, deleteAll deletes them`() throws {
        let store = try newStore(artist)
        try store.write { writer in
            for key in 1...20 {
                try writer.insert([.integer(Int64(key)), "n\(key)".value, nil, .integer(Int64(key % 3))])
            }
            let third = ResolvedCondition.compare(position: 3, .equal, 0)
            let changed = try writer.updateAll(
                request(0, third), setting: [Assignment(position: 1, value: "x"), Assignment(position: 2, value: 1.5)])
            #expect(changed == 6)
            try #expect(writer.keys(request(0, .compare(position: 1, .equal, "x"))) == [3, 6, 9, 12, 15, 18])
            try #expect(
                writer.updateAll(request(order: [(0, true)], limit: 2), setting: [Assignment(position: 3, value: nil)])
                    == 2)
            try #expect(writer.keys(request(0, .compare(position: 3, .equal, nil))) == [19, 20])
            try #expect(writer.deleteAll(request(0, .compare(position: 2, .equal, 1.5), offset: 4)) == 2)
            try #expect(writer.count(request()) == 18)
            #expect(
                code { try writer.updateAll(request(), setting: [Assignment(position: 1, value: nil)]) } == .required)
            #expect(
                code { try writer.updateAll(request(), setting: [Assignment(position: 0, value: 1)]) } == .invalidQuery)
            #expect(
                code { try writer.updateAll(request(), setting: [Assignment(position: 1, value: 1)]) } == .typeMismatch)
        }
        #expect(try store.verify() == [])
        try store.write { try #expect($0.deleteAll(request()) == 18) }
        #expect(try store.verify() == [])
        try store.read { try #expect($0.keys(request()) == []) }
    }

    @Test func `a clash in updateAll takes the whole statement back`() throws {
        let store = try newStore(genre)
        try store.write { writer in
            for key in 1...3 { try writer.insert([.integer(Int64(key)), "n\(key)".value, nil]) }
            #expect(
                code { try writer.updateAll(request(), setting: [Assignment(position: 1, value: "z")]) } == .uniqueness)
            try #expect(writer.values(request(), count: 2) == [[1, "n1"], [2, "n2"], [3, "n3"]])
            try writer.insert([0, "next", nil])
        }
        #expect(try store.verify() == [])
    }

    @Test func `savepoints nest and take back rows, keys and numbers`() throws {
        let store = try newStore(genre)
        try store.write { writer in
            for depth in 0..<120 {
                try writer.beginSavepoint()
                try writer.insert([0, "d\(depth)".value, nil])
            }
            for depth in 0..<120 {
                if depth.isMultiple(of: 2) { try writer.releaseSavepoint() } else { try writer.rollbackSavepoint() }
            }
            try #expect(writer.count(request()) == 0)
            #expect(code { try writer.releaseSavepoint() } == .closed)
            #expect(code { try writer.rollbackSavepoint() } == .closed)
        }
        try store.read { reader in #expect(reader.transactionNumber == 0) }
        try store.write { try #expect($0.insert([0, "a", nil]) == 1) }
        try store.read { reader in #expect(reader.transactionNumber == 1) }
    }

    @Test func `a transaction that changes nothing is not numbered`() throws {
        let store = try newStore(genre)
        try store.write { try $0.insert([1, "a", nil]) }
        try store.write { writer in
            #expect(code { try writer.insert([1, "b", nil]) } == .uniqueness)
            #expect(code { try writer.insert([2, "a", nil]) } == .uniqueness)
            try writer.update([1, "a", nil])
            try writer.upsert([1, "a", nil])
            try writer.delete(7)
            #expect(
                code { try writer.updateAll(request(), setting: [Assignment(position: 1, value: nil)]) } == .required)
        }
        try store.read { reader in #expect(reader.transactionNumber == 1) }
        try store.write { try $0.insert([0, "b", nil]) }
        try store.read { reader in #expect(reader.transactionNumber == 2) }
    }

    @Test func `a cursor ends with what it reads from`() throws {
        let store = try newStore(artist)
        try store.write { writer in
            for key in 1...3 { try writer.insert([.integer(Int64(key)), "a", nil, nil]) }
            let cursor = try writer.rows(request())
            _ = try cursor.next()
            try writer.delete(3)
            #expect(code { _ = try cursor.next() } == .cursorInvalidated)
        }
        let flag = CancellationFlag()
        let reader = try store.beginRead(flag)
        let cursor = try reader.rows(request())
        _ = try cursor.next()
        flag.set()
        #expect(code { _ = try reader.count(request()) } == .cancelled)
        reader.end()
        reader.end()
        #expect(code { _ = try cursor.next() } == .closed)
        #expect(code { _ = try reader.keys(request()) } == .closed)
    }

    @Test func `a read that is cancelled stops within 64 rows`() throws {
        let store = try newStore(artist)
        try store.write { writer in
            for key in 1...300 { try writer.insert([.integer(Int64(key)), "a", nil, nil]) }
        }
        let flag = CancellationFlag()
        let reader = try store.beginRead(flag)
        defer { reader.end() }
        let cursor = try reader.rows(request())
        _ = try cursor.next()
        flag.set()
        var count = 0
        let result = code { while try cursor.next() != nil { count += 1 } }
        #expect(result == .cancelled)
        #expect(count <= 64)
    }

    @Test func `an engine that fails in the middle of a statement leaves the store as it was`() throws {
        let engine = SortedArrayEngine()
        let store = try newStore(artist, engine: engine)
        try store.write { writer in
            for key in 1...4 { try writer.insert([.integer(Int64(key)), "n\(key)".value, 1.0, nil]) }
        }
        for allowed in 0..<60 {
            engine.writesLeft = allowed
            let result = code {
                let writer = try store.beginWrite()
                defer { writer.end() }
                let first = code {
                    try writer.insert([9, "i", nil, nil])
                    try writer.update([1, "u", nil, 4])
                    _ = try writer.updateAll(request(), setting: [Assignment(position: 1, value: "all")])
                    try writer.delete(2)
                    _ = try writer.deleteAll(request(0, .compare(position: 0, .greater, 3)))
                }
                if first != nil { #expect(code { try writer.insert([10, "j", nil, nil]) } == .full) }
                try writer.commit()
            }
            engine.writesLeft = nil
            #expect(try store.verify() == [], "\(allowed)")
            if result == nil {
                try store.read { try #expect($0.keys(request()) == [1, 3]) }
                #expect(allowed > 20)
                return
            }
            #expect(result == .full)
            try store.read { reader in
                try #expect(reader.keys(request()) == [1, 2, 3, 4])
                #expect(reader.transactionNumber == 1)
            }
        }
        Issue.record("the statements never went through")
    }

    @Test func `a reader sees its state while others write`() throws {
        let store = try newStore(artist)
        try store.write { try $0.insert([1, "a", nil, nil]) }
        let reader = try store.beginRead(CancellationFlag())
        try store.write { writer in
            _ = try writer.deleteAll(request())
            try writer.insert([2, "b", nil, nil])
        }
        try #expect(reader.values(request(), count: 2) == [[1, "a"]])
        try #expect(reader.keys(request(0, .compare(position: 1, .equal, "a"))) == [1])
        reader.end()
        try store.read { try #expect($0.keys(request()) == [2]) }
    }
}

extension String {
    var value: Value { .string(self) }
}
