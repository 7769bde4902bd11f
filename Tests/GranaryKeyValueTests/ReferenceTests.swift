import GranaryCore
import Testing

@testable import GranaryKeyValue
import TestSupport

/// A node refers to three others, each with another rule.
private func node(key: AttributeType = .int64) -> Entity {
    func reference(_ name: String, _ rule: DeleteRule) -> Attribute {
        Attribute(name, key, isOptional: true, reference: .init(entity: "Node", onDelete: rule))
    }
    return Entity(
        "Node", key: "id",
        attributes: [
            Attribute("id", key), reference("parent", .cascade), reference("friend", .nullify),
            reference("guard", .deny),
            reference("memo", .noAction),
        ])
}

@Suite struct ReferenceTests {
    @Test func `a reference to nothing is refused, one to itself is not`() throws {
        let store = try newStore(node())
        try store.write { writer in
            #expect(code { try writer.insert([1, 2, nil, nil, nil]) } == .danglingReference)
            try writer.insert([1, 1, nil, nil, 99])
            try writer.insert([2, 1, nil, nil, nil])
            #expect(code { try writer.update([2, 1, 7, nil, nil]) } == .danglingReference)
            #expect(
                code { try writer.updateAll(request(), setting: [Assignment(position: 2, value: 3)]) }
                    == .danglingReference)
            try #expect(writer.values(request(), count: 5) == [[1, 1, nil, nil, 99], [2, 1, nil, nil, nil]])
        }
        #expect(try store.verify() == [])
    }

    @Test func `deletion cascades, sets to nil and is denied by those that stay`() throws {
        let store = try newStore(node())
        try store.write { writer in
            try writer.insert([1, nil, nil, nil, nil])
            try writer.insert([2, 1, nil, nil, nil])
            try writer.insert([3, nil, 2, nil, 1])
            try writer.insert([4, nil, nil, 2, nil])
            #expect(code { try writer.delete(1) } == .deniedDeletion)
            try #expect(writer.count(request()) == 4)
            // Now the one that denies goes with the others.
            try writer.update([4, 2, nil, 2, nil])
            try #expect(writer.delete(1) == true)
            try #expect(writer.values(request(), count: 5) == [[3, nil, nil, nil, 1]])
        }
        #expect(try store.verify() == [])
    }

    @Test func `a circle of cascades is deleted whole`() throws {
        let store = try newStore(node())
        try store.write { writer in
            try writer.insert([1, nil, nil, nil, nil])
            for key: Int64 in 2...50 {
                try writer.insert([.integer(key), .integer(key - 1), .integer(key - 1), .integer(key - 1), nil])
            }
            try writer.update([1, 50, 50, 50, nil])
            try writer.insert([60, 60, 60, 60, nil])
            try writer.delete(17)
            try #expect(writer.keys(request()) == [60])
            try writer.delete(60)
            try #expect(writer.count(request()) == 0)
        }
        #expect(try store.verify() == [])
    }

    @Test func `rows that two lose a reference at once lose both`() throws {
        let entity = Entity(
            "Pair", key: "id",
            attributes: [
                Attribute("id", .int64),
                Attribute("left", .int64, isOptional: true, reference: .init(entity: "Pair", onDelete: .nullify)),
                Attribute("right", .int64, isOptional: true, reference: .init(entity: "Pair", onDelete: .nullify)),
            ], indexes: [.unique("left", "right")])
        let store = try newStore(entity)
        try store.write { writer in
            try writer.insert([1, nil, nil])
            try writer.insert([2, nil, nil])
            try writer.insert([3, 1, 2])
            try writer.insert([4, 1, 1])
            try #expect(writer.deleteAll(request(0, .among(position: 0, [1, 2]))) == 2)
            try #expect(writer.values(request(), count: 3) == [[3, nil, nil], [4, nil, nil]])
        }
        #expect(try store.verify() == [])
    }

    @Test func `a chain and a fan of many rows are deleted without recursion`() throws {
        let store = try newStore(node())
        let count: Int64 = 4000
        try store.write { writer in
            try writer.insert([1, nil, nil, nil, nil])
            for key in 2...count { try writer.insert([.integer(key), .integer(key - 1), nil, nil, nil]) }
            for key in (count + 1)...(2 * count) { try writer.insert([.integer(key), nil, .integer(7), nil, nil]) }
            try writer.delete(1)
            try #expect(writer.count(request()) == Int(count))
            try #expect(writer.count(request(0, .compare(position: 2, .equal, nil))) == Int(count))
        }
        #expect(try store.verify() == [])
    }

    @Test(arguments: [10, 160, 300, 5000]) func `references to texts of any length are followed`(length: Int) throws {
        let store = try newStore(node(key: .string))
        func key(_ end: String) -> Value { (String(repeating: "k", count: length) + end).value }
        try store.write { writer in
            for end in ["a", "b", "c"] { try writer.insert([key(end), nil, nil, nil, nil]) }
            try writer.insert(["x", key("a"), nil, nil, nil])
            try writer.insert(["y", key("b"), nil, nil, nil])
            try writer.insert(["z", nil, key("a"), nil, nil])
            #expect(code { try writer.insert(["w", key("d"), nil, nil, nil]) } == .danglingReference)
            try writer.delete(key("a"))
            try #expect(writer.keys(request()) == [key("b"), key("c"), "y", "z"])
            try #expect(writer.find("z", count: 5) == ["z", nil, nil, nil, nil])
        }
        #expect(try store.verify() == [])
    }

    @Test func `deferred references are checked at the end, as they are then`() throws {
        let store = try newStore(node())
        try store.write { writer in
            try writer.beginSavepoint()
            try writer.deferReferences()
            try writer.insert([1, 2, nil, nil, nil])
            try writer.insert([5, 6, nil, nil, nil])
            #expect(code { try writer.checkReferences() } == .danglingReference)
            try writer.insert([2, 1, nil, nil, nil])
            try writer.delete(5)
            // What a rolled back savepoint held does not count.
            try writer.beginSavepoint()
            try writer.insert([8, 9, nil, nil, nil])
            try writer.rollbackSavepoint()
            try writer.checkReferences()
            try writer.releaseSavepoint()
            #expect(code { try writer.insert([7, 6, nil, nil, nil]) } == .danglingReference)
        }
        try store.read { try #expect($0.keys(request()) == [1, 2]) }
    }

    @Test func `deferral ends with its savepoint, and a commit checks what was left open`() throws {
        let store = try newStore(node())
        let writer = try store.beginWrite()
        try writer.beginSavepoint()
        try writer.deferReferences()
        try writer.insert([1, 2, nil, nil, nil])
        try writer.rollbackSavepoint()
        #expect(code { try writer.insert([1, 2, nil, nil, nil]) } == .danglingReference)
        try writer.beginSavepoint()
        try writer.deferReferences()
        try writer.insert([1, 2, nil, nil, nil])
        #expect(code { try writer.commit() } == .danglingReference)
        try store.read { try #expect($0.count(request()) == 0) }
    }
}
