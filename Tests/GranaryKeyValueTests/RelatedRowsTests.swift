import GranaryCore
import Testing

@testable import GranaryKeyValue
import TestSupport

/// Author (id, name, mentor: Author?), Book (id, title, pages?, author: Author?, editor: Author? that may dangle).
private func library(_ keys: AttributeType = .int64) throws -> KeyValueStore {
    func reference(_ name: String, _ entity: String, _ rule: DeleteRule) -> Attribute {
        Attribute(name, keys, isOptional: true, reference: .init(entity: entity, onDelete: rule))
    }
    return try newStore(
        Entity(
            "Author", key: "id",
            attributes: [Attribute("id", keys), Attribute("name", .string), reference("mentor", "Author", .nullify)]),
        Entity(
            "Book", key: "id",
            attributes: [
                Attribute("id", keys), Attribute("title", .string), Attribute("pages", .int64, isOptional: true),
                reference("author", "Author", .nullify), reference("editor", "Author", .noAction),
            ]))
}

private func filled() throws -> KeyValueStore {
    let store = try library()
    try store.write { writer in
        for row: [Value] in [[1, "Ada", nil], [2, "Ben", 1], [3, "Cyd", 2]] { try writer.insert(row, into: 0) }
        for row: [Value] in [
            [1, "a", 10, 1, nil], [2, "b", nil, 1, 2], [3, "c", 30, 2, 99], [4, "d", 40, nil, nil],
        ] { try writer.insert(row, into: 1) }
    }
    return store
}

private func toAuthor(_ condition: ResolvedCondition, isNegated: Bool = false) -> ResolvedCondition {
    .toOne(position: 3, entity: 0, condition, isNegated: isNegated)
}

private func books(_ condition: ResolvedCondition = .always(true), isNegated: Bool = false) -> ResolvedCondition {
    .toMany(entity: 1, position: 3, condition, isNegated: isNegated)
}

private func number(_ expression: ResolvedExpression) -> TypedExpression {
    TypedExpression(expression, .int64, isOptional: true)
}

@Suite struct RelatedRowsTests {
    private func keys(_ entity: Int, _ condition: ResolvedCondition) throws -> [Value] {
        try filled().read { try $0.keys(request(entity, condition)) }
    }

    @Test func `a condition on a referenced record is false where there is none, and negated true`() throws {
        let isAda = ResolvedCondition.compare(position: 1, .equal, "Ada")
        try #expect(keys(1, toAuthor(isAda)) == [1, 2])
        try #expect(keys(1, toAuthor(isAda, isNegated: true)) == [3, 4])
        try #expect(keys(1, toAuthor(.always(true), isNegated: true)) == [4])
        let isEdited = ResolvedCondition.toOne(position: 4, entity: 0, .always(true), isNegated: false)
        try #expect(keys(1, isEdited) == [2])
    }

    @Test func `references are followed one after the other`() throws {
        let mentoredByAda = ResolvedCondition.toOne(
            position: 2, entity: 0, .compare(position: 1, .equal, "Ada"), isNegated: false)
        try #expect(keys(1, toAuthor(mentoredByAda)) == [3])
        try #expect(keys(0, .toMany(entity: 0, position: 2, mentoredByAda, isNegated: false)) == [1])
    }

    @Test func `a condition on referring records holds if one of them meets it`() throws {
        try #expect(keys(0, books()) == [1, 2])
        try #expect(keys(0, books(isNegated: true)) == [3])
        try #expect(keys(0, books(.compare(position: 2, .greater, 10))) == [2])
        try #expect(keys(0, books(.compare(position: 2, .equal, nil))) == [1])
        try #expect(keys(0, books(.always(false))) == [])
        try #expect(keys(0, books(.always(false), isNegated: true)) == [1, 2, 3])
    }

    @Test func `a column through a reference is nil where there is no record`() throws {
        var names = request(1)
        names.columns = [
            TypedExpression(.toOne(position: 3, entity: 0, .attribute(1)), .string, isOptional: true),
            TypedExpression(.toOne(position: 4, entity: 0, .attribute(1)), .string, isOptional: true),
        ]
        try filled().read { reader in
            try #expect(
                reader.values(names, count: 2) == [["Ada", nil], ["Ada", "Ben"], ["Ben", nil], [nil, nil]])
        }
    }

    @Test func `what refers to a record is counted and added up`() throws {
        var authors = request(0)
        let pages = number(.attribute(2))
        authors.columns = [
            number(.aggregate(RelatedAggregate(.count, entity: 1, position: 3))),
            number(.aggregate(RelatedAggregate(.count, entity: 1, position: 3, expression: pages))),
            number(.aggregate(RelatedAggregate(.sum, entity: 1, position: 3, expression: pages))),
            number(.aggregate(RelatedAggregate(.maximum, entity: 1, position: 3, expression: pages))),
            number(
                .aggregate(
                    RelatedAggregate(.count, entity: 1, position: 3, condition: .compare(position: 2, .equal, nil)))),
        ]
        try filled().read { reader in
            try #expect(
                reader.values(authors, count: 5) == [[2, 1, 10, 10, 1], [1, 1, 30, 30, 0], [0, 0, 0, nil, 0]])
        }
        var byCount = request(0)
        byCount.order = [
            FetchRequest.OrderTerm(
                number(.aggregate(RelatedAggregate(.count, entity: 1, position: 3))), isDescending: true)
        ]
        try filled().read { try #expect($0.keys(byCount) == [1, 2, 3]) }
    }

    @Test func `values of another query include nil if it gives nil`() throws {
        var authorsOfBooks = request(1)
        authorsOfBooks.columns = [number(.attribute(3))]
        let isAuthor = ResolvedCondition.amongRows(.attribute(0), authorsOfBooks, isNegated: false)
        try #expect(keys(0, isAuthor) == [1, 2])
        let hasMentorAmong = ResolvedCondition.amongRows(.attribute(2), authorsOfBooks, isNegated: false)
        try #expect(keys(0, hasMentorAmong) == [1, 2, 3])
        authorsOfBooks.condition = .compare(position: 3, .notEqual, nil)
        try #expect(keys(0, .amongRows(.attribute(2), authorsOfBooks, isNegated: false)) == [2, 3])
        try #expect(keys(0, .amongRows(.attribute(2), authorsOfBooks, isNegated: true)) == [1])
        authorsOfBooks.limit = 0
        try #expect(keys(0, .amongRows(.attribute(2), authorsOfBooks, isNegated: true)) == [1, 2, 3])
    }

    @Test(arguments: [1, 160, 300, 5000]) func `keys of any length are followed either way`(length: Int) throws {
        func key(_ end: String) -> Value { (String(repeating: "k", count: length) + end).value }
        let store = try library(.string)
        try store.write { writer in
            for (end, name) in [("a", "Ada"), ("b", "Ben"), ("c", "Cyd")] {
                try writer.insert([key(end), name.value, nil], into: 0)
            }
            for (book, author) in [("1", "a"), ("2", "b"), ("3", "a")] {
                try writer.insert([book.value, "t", 1, key(author), key("z")], into: 1)
            }
        }
        try store.read { reader in
            let isAda = toAuthor(.compare(position: 1, .equal, "Ada"))
            try #expect(reader.keys(request(1, isAda)) == ["1", "3"])
            try #expect(reader.keys(request(0, books(.always(true), isNegated: true))) == [key("c")])
            try #expect(reader.keys(request(0, books(.compare(position: 0, .equal, "3")))) == [key("a")])
            try #expect(
                reader.keys(request(1, .toOne(position: 4, entity: 0, .always(true), isNegated: false))) == [])
        }
    }

    @Test func `all that meet a condition on other records are changed and deleted`() throws {
        let store = try filled()
        try store.write { writer in
            let ofAda = toAuthor(.compare(position: 1, .equal, "Ada"))
            try #expect(writer.updateAll(request(1, ofAda), setting: [Assignment(position: 2, value: 7)]) == 2)
            let long = ResolvedCondition.relation(
                .attribute(2), .greater, .arithmetic(.multiply, .attribute(0), .value(5), .integer), isNegated: false)
            try #expect(writer.keys(request(1, long)) == [1, 3, 4])
            try #expect(writer.deleteAll(request(0, books(.compare(position: 2, .greater, 20)))) == 1)
            try #expect(
                writer.values(request(1), count: 4) == [
                    [1, "a", 7, 1], [2, "b", 7, 1], [3, "c", 30, nil], [4, "d", 40, nil],
                ])
        }
        #expect(try store.verify() == [])
    }

    @Test func `an error of arithmetic names the entity it was about`() throws {
        let inverse = ResolvedExpression.arithmetic(.divide, .value(1), .attribute(2), .integer)
        let store = try filled()
        try store.write {
            try $0.updateAll(request(1, .compare(position: 0, .equal, 2)), setting: [.init(position: 2, value: 0)])
        }
        func entity(_ request: FetchRequest) throws -> String? {
            try store.read { reader in
                do {
                    _ = try reader.values(request, count: 1)
                    return nil
                } catch let error as GranaryError {
                    #expect(error.code == .overflow)
                    return error.entity
                }
            }
        }
        let isLarge = ResolvedCondition.relation(inverse, .greater, .value(1), isNegated: false)
        try #expect(entity(request(1, isLarge)) == "Book")
        try #expect(entity(request(0, books(isLarge))) == "Book")
        var columns = request(1)
        columns.columns = [number(inverse)]
        try #expect(entity(columns) == "Book")
        columns.columns = nil
        columns.order = [FetchRequest.OrderTerm(number(inverse), isDescending: false)]
        try #expect(entity(columns) == "Book")
    }

    @Test func `a cancelled read stops inside the records of another entity`() throws {
        let store = try library()
        try store.write { writer in
            try writer.insert([1, "Ada", nil], into: 0)
            for key: Int64 in 1...1000 { try writer.insert([.integer(key), "t", nil, 1, nil], into: 1) }
        }
        let flag = CancellationFlag()
        let reader = try store.beginRead(flag)
        defer { reader.end() }
        let cursor = try reader.rows(request(0, books(.compare(position: 2, .equal, 1))))
        flag.set()
        #expect(code { _ = try cursor.next() != nil } == .cancelled)
    }
}
