import Foundation
import GranaryStoreKit
import Testing

@testable import PlainFileStore

/// Which requests the store answers along its keys and lookups, and how it says so.
@Suite struct PlainFileQueryTests {
    private static let artist = Entity(
        "Artist", key: "id",
        attributes: [
            Attribute("id", .int64), Attribute("name", .string), Attribute("rating", .double, isOptional: true),
        ], indexes: [.unique("name")])
    private let store: any Store

    init() throws {
        let path = FileManager.default.temporaryDirectory.path + "/plain-\(UUID().uuidString)"
        store = try PlainFileStoreProvider(path: path, access: .readWrite).open(
            Schema(entities: [Self.artist]), migration: .refuse)
        let writer = try store.beginWrite()
        defer { writer.end() }
        for number: Int64 in [5, 3, 9, 1, 7] {
            let row = StoredRow([.integer(number), .string("artist \(number)"), number == 5 ? .null : .real(1)])
            _ = try row.withRow { try writer.insert($0, into: 0) }
        }
        try writer.commit()
    }

    private func request(
        _ condition: ResolvedCondition? = nil, order: [FetchRequest.OrderTerm] = [], limit: Int? = nil, offset: Int = 0
    ) -> FetchRequest {
        FetchRequest(entity: 0, condition: condition, order: order, limit: limit, offset: offset)
    }

    private func order(by position: Int, isDescending: Bool = false) -> [FetchRequest.OrderTerm] {
        [
            FetchRequest.OrderTerm(
                TypedExpression(.attribute(position), .int64, isOptional: position == 2), isDescending: isDescending)
        ]
    }

    /// The keys of the rows, the number that `count` gives, and the lines of the plan.
    private func answer(_ request: FetchRequest) throws -> (keys: [StoredValue], count: Int, plan: [String]) {
        let reader = try store.beginRead(CancellationFlag())
        defer { reader.end() }
        var keys: [StoredValue] = []
        let cursor = try reader.rows(request)
        while let row = try cursor.next() { keys.append(StoredValue(row[0])) }
        return (keys, try reader.count(request), try reader.explain(request).lines)
    }

    private func expect(_ request: FetchRequest, _ keys: [Int64], _ plan: [String]) throws {
        let found = try answer(request)
        #expect(found.keys == keys.map { StoredValue.integer($0) })
        #expect(found.count == keys.count)
        #expect(found.plan == plan)
    }

    private func key(_ comparison: Comparison, _ key: Int64) -> ResolvedCondition {
        .compare(position: 0, comparison, .integer(key))
    }

    @Test func `a key, a list of keys and a range of keys are searched for`() throws {
        try expect(request(key(.equal, 7)), [7], ["search Artist using key (id = ?)"])
        try expect(request(key(.equal, 8)), [], ["search Artist using key (id = ?)"])
        let list = ResolvedCondition.among(position: 0, [.integer(1), .integer(2), .integer(9)])
        try expect(request(list), [1, 9], ["search Artist using key (id in ?)"])
        let range = ResolvedCondition.all([key(.greater, 1), key(.lessOrEqual, 7)])
        try expect(request(range), [3, 5, 7], ["search Artist using key (id > ?, id <= ?)"])
        try expect(
            request(range, order: order(by: 0, isDescending: true), limit: 1, offset: 1), [5],
            ["search Artist using key (id > ?, id <= ?) backwards"])
    }

    @Test func `a unique value is looked up`() throws {
        let name = ResolvedCondition.compare(position: 1, .equal, .string("artist 9"))
        try expect(request(name), [9], ["search Artist using name (name = ?)"])
        try expect(request(.all([name, key(.less, 9)])), [], ["search Artist using name (name = ?, id < ?)"])
        try expect(request(.all([name, key(.equal, 1)])), [], ["search Artist using key (id = ?)", "filter"])
    }

    @Test func `all rows come along their keys, and reading ends when there are enough`() throws {
        try expect(request(), [1, 3, 5, 7, 9], ["scan Artist"])
        try expect(request(limit: 2, offset: 1), [3, 5], ["scan Artist until 3 found"])
        try expect(
            request(order: order(by: 0, isDescending: true), limit: 2), [9, 7],
            ["scan Artist backwards until 2 found"])
    }

    @Test func `other conditions are asked of every row, and other orders are sorted`() throws {
        let rated = ResolvedCondition.compare(position: 2, .notEqual, .null)
        try expect(request(rated), [1, 3, 7, 9], ["scan Artist", "filter"])
        try expect(request(rated, limit: 1, offset: 2), [7], ["scan Artist", "filter"])
        try expect(request(order: order(by: 2), limit: 2), [5, 1], ["scan Artist", "sort top 2 by rating"])
        try expect(
            request(key(.less, 6), order: order(by: 2)), [5, 1, 3],
            ["search Artist using key (id < ?)", "sort by rating"])
    }

    @Test func `a cursor ends when its transaction writes`() throws {
        let writer = try store.beginWrite()
        defer { writer.end() }
        let cursor = try writer.rows(request())
        var first: StoredValue?
        if let row = try cursor.next() { first = StoredValue(row[0]) }
        #expect(first == .integer(1))
        _ = try StoredRow([.integer(2), .string("new"), .null]).withRow { try writer.insert($0, into: 0) }
        let error = #expect(throws: GranaryError.self) { _ = try cursor.next() == nil }
        #expect(error?.code == .cursorInvalidated)
        let again = try writer.rows(request(key(.less, 4)))
        var keys: [StoredValue] = []
        while let row = try again.next() { keys.append(StoredValue(row[0])) }
        #expect(keys == [.integer(1), .integer(2), .integer(3)])
    }
}
