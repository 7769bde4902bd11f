import TestSupport
import Testing

@testable import GranaryCore

/// Labels (id, name, profile) 1 to 4, named a to d, in the store; changes over them.
@Suite struct OverlayReaderTests {
    private let schema = looseMusic(indexed: true)
    private let store: any Store
    private let below: any StoreReader
    private var pending: PendingChanges

    private static func label(_ key: Int64, _ name: String) -> [StoredValue] { [.integer(key), .string(name), nil] }
    private static func artist(_ key: Int64, _ name: String, label: StoredValue) -> [StoredValue] {
        [.integer(key), .string(name), nil, nil, label]
    }

    init() throws {
        let labels = zip(1..., ["a", "b", "c", "d"]).map { (Int64($0), Self.label(Int64($0), $1)) }
        let artists = (1...3).map { (Int64($0), Self.artist(Int64($0), "x", label: .integer(Int64($0) + 1))) }
        (store, below) = try memoryReader(
            schema, [Table(uniqueKeysWithValues: artists), Table(uniqueKeysWithValues: labels), [:]])
        pending = PendingChanges(schema)
    }

    private mutating func set(_ key: Int64, _ name: String?) throws {
        let stored = try below.values(.integer(key), of: 1)
        pending.set(
            name.map { StoredRow(Self.label(key, $0)) }, .integer(key), of: 1, below: stored.map { StoredRow($0) })
    }

    private var overlay: OverlayReader { OverlayReader(below, pending, schema) }

    private func names(_ request: FetchRequest) throws -> [StoredValue] { try overlay.values(request).map { $0[1] } }

    private func byName(isDescending: Bool = false, limit: Int? = nil, offset: Int = 0) -> FetchRequest {
        FetchRequest(
            entity: 1, order: [FetchRequest.OrderTerm(position: 1, isDescending: isDescending)], limit: limit,
            offset: offset)
    }

    @Test mutating func `changed records are in their places`() throws {
        try set(2, nil)
        try set(3, "aa")
        try set(9, "bb")
        #expect(try names(byName()) == ["a", "aa", "bb", "d"])
        #expect(try names(byName(isDescending: true)) == ["d", "bb", "aa", "a"])
        #expect(try names(FetchRequest(entity: 1)) == ["a", "aa", "d", "bb"])
    }

    @Test mutating func `the first of many changed records come first`() throws {
        for key in 10..<210 { try set(Int64(key), "n\(100 + key * 7919 % 800)") }
        let (all, last) = (try names(byName()), try names(byName(isDescending: true)))
        #expect(all.count == 204 && all == Array(last.reversed()))
        #expect(all == all.sorted())
        #expect(try names(byName(limit: 5, offset: 3)) == Array(all[3..<8]))
        #expect(try names(byName(isDescending: true, limit: 40)) == Array(last[..<40]))
    }

    @Test mutating func `limit and offset count what is shown`() throws {
        try set(1, nil)
        try set(2, "z")
        try set(0, "cc")
        #expect(try names(byName(limit: 2)) == ["c", "cc"])
        #expect(try names(byName(limit: 2, offset: 2)) == ["d", "z"])
        #expect(try names(byName(limit: 0)) == [])
        #expect(try overlay.count(byName(limit: 3)) == 3)
        #expect(try overlay.count(byName(offset: 1)) == 3)
    }

    @Test mutating func `ties are broken by key in the direction of the last term`() throws {
        try set(2, "a")
        try set(4, "a")
        let keys = { (request: FetchRequest, overlay: OverlayReader) throws in
            try overlay.values(request).map { $0[0] }
        }
        #expect(try keys(byName(), overlay) == [1, 2, 4, 3])
        #expect(try keys(byName(isDescending: true), overlay) == [3, 4, 2, 1])
    }

    @Test mutating func `a key that was made below in the meantime is shown as it is pending`() throws {
        pending.set(StoredRow(Self.label(4, "mine")), 4, of: 1, below: nil)
        #expect(try names(byName()) == ["a", "b", "c", "mine"])
        #expect(try overlay.count(byName()) == 4)
        #expect(try names(byName(limit: 4)) == ["a", "b", "c", "mine"])
        pending.set(StoredRow(Self.label(1, "z")), 1, of: 1, below: nil)
        #expect(try names(byName(limit: 2)) == ["b", "c"])
        #expect(try names(byName(limit: 2, offset: 2)) == ["mine", "z"])
    }

    @Test mutating func `a path leads to the changed record`() throws {
        try set(2, "z")
        try set(3, nil)
        let name = TypedExpression(.toOne(position: 4, entity: 1, .attribute(1)), .string, isOptional: true)
        var request = FetchRequest(entity: 0, order: [FetchRequest.OrderTerm(name, isDescending: true)])
        request.columns = [TypedExpression(.attribute(0), .int64, isOptional: false), name]
        #expect(try overlay.values(request) == [[1, "z"], [3, "d"], [2, nil]])
    }

    @Test mutating func `what looks at no changed record is answered below`() throws {
        try set(2, nil)
        let artists = FetchRequest(entity: 0, order: [FetchRequest.OrderTerm(position: 1, isDescending: false)])
        #expect(try overlay.explain(artists) == below.explain(artists))
        #expect(try overlay.rows(artists) is MergedRows == false)
    }

    @Test mutating func `the plan says what is merged`() throws {
        try set(2, nil)
        try set(9, "x")
        #expect(
            try overlay.explain(byName(limit: 3)).lines == below.explain(byName(limit: 4)).lines + [
                "merge Label (2 pending)"
            ])
        let named = ResolvedCondition.toOne(
            position: 4, entity: 1, .compare(position: 1, .equal, "x"), isNegated: false)
        // One artist refers to a changed label.
        let artists = FetchRequest(entity: 0, condition: named)
        #expect(try overlay.explain(artists).lines == below.explain(artists).lines + ["merge Artist (1 pending)"])
    }

    @Test func `texts are keys too`() throws {
        let word = Entity("Word", key: "text", attributes: [Attribute("text", .string), Attribute("count", .int64)])
        let schema = Schema(entities: [word])
        let store = try memoryReader(schema, [[1: ["a", 1], 2: ["b", 2], 3: ["c", 3]]])
        var pending = PendingChanges(schema)
        pending.set(nil, "b", of: 0, below: StoredRow(["b", 2]))
        pending.set(StoredRow(["bb", 5]), "bb", of: 0, below: nil)
        let overlay = OverlayReader(store.reader, pending, schema)
        #expect(try overlay.values(FetchRequest(entity: 0)) == [["a", 1], ["bb", 5], ["c", 3]])
        let named = FetchRequest(entity: 0, condition: .among(position: 0, ["b", "bb", "c"]))
        #expect(try overlay.values(named) == [["bb", 5], ["c", 3]])
        #expect(try overlay.count(named) == 2)
    }
}
