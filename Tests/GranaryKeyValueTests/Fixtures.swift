import GranaryCore
import TestSupport
import Testing

@testable import GranaryKeyValue

typealias Value = StoredValue

func withRow<T>(_ values: [Value], _ body: (borrowing Row) throws -> T) throws -> T {
    var writer = RowWriter(count: values.count)
    for (position, value) in values.enumerated() { try value.encode(into: &writer, at: position) }
    return try writer.withRow { row throws in try body(row) }
}

extension StoreWriter {
    @discardableResult func insert(_ values: [Value], into entity: Int = 0) throws -> Int64? {
        try withRow(values) { try insert($0, into: entity) }
    }
    @discardableResult func update(_ values: [Value], in entity: Int = 0) throws -> Bool {
        try withRow(values) { try update($0, in: entity) }
    }
    @discardableResult func upsert(_ values: [Value], into entity: Int = 0) throws -> Int64? {
        try withRow(values) { try upsert($0, into: entity) }
    }
    @discardableResult func delete(_ key: Value, from entity: Int = 0) throws -> Bool {
        try key.withCell { try delete($0, from: entity) }
    }
}

extension StoreReader {
    func values(_ request: FetchRequest, count: Int) throws -> [[Value]] {
        let cursor = try rows(request)
        var result: [[Value]] = []
        while let row = try cursor.next() { result.append((0..<count).map { StoredValue(row[$0]) }) }
        return result
    }

    /// The first attribute of each row.
    func keys(_ request: FetchRequest) throws -> [Value] { try values(request, count: 1).map { $0[0] } }

    func find(_ key: Value, in entity: Int = 0, count: Int) throws -> [Value]? {
        try key.withCell { cell in
            guard let row = try find(cell, in: entity) else { return nil }
            return (0..<count).map { StoredValue(row[$0]) }
        }
    }
}

extension Store {
    @discardableResult func write<T>(_ body: (any StoreWriter) throws -> T) throws -> T {
        let writer = try beginWrite()
        defer { writer.end() }
        let result = try body(writer)
        try writer.commit()
        return result
    }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        let reader = try beginRead(CancellationFlag())
        defer { reader.end() }
        return try body(reader)
    }
}

func newStore(_ entities: Entity..., engine: SortedArrayEngine = SortedArrayEngine()) throws -> KeyValueStore {
    try KeyValueStore(engine: engine, schema: Schema(entities: entities))
}

func request(
    _ entity: Int = 0, _ condition: ResolvedCondition? = nil, order: [(Int, Bool)] = [], limit: Int? = nil,
    offset: Int = 0
) -> FetchRequest {
    FetchRequest(
        entity: entity, condition: condition,
        order: order.map { FetchRequest.OrderTerm(position: $0.0, isDescending: $0.1) }, limit: limit, offset: offset)
}

/// id, name, rating, genre.
let artist = Entity(
    "Artist", key: "id",
    attributes: [
        Attribute("id", .int64), Attribute("name", .string), Attribute("rating", .double, isOptional: true),
        Attribute("plays", .int32, isOptional: true),
    ], indexes: [.index("name"), .index("rating", "name")])

extension StoreReader {
    /// Groups in the order of their values.
    func groups(_ request: FetchRequest) throws -> [[Value]] {
        let cursor = try rows(request)
        var result: [[Value]] = []
        while let row = try cursor.next() { result.append((0..<row.count).map { StoredValue(row[$0]) }) }
        return result.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
