/// What can be loaded with the records of a query: a relationship, alone or with what is loaded with it in turn.
///
/// ```swift
/// for (artist, genre, songs) in try snapshot.fetch(Artist.all, with: { $0.genre }, { $0.songs }) { ... }
/// for (artist, albums) in try snapshot.fetch(Artist.all, with: { $0.albums.with { $0.songs } }) {
///     for (album, songs) in albums { ... }
/// }
/// ```
///
/// A relationship is one query, a many-to-many one two, however many records there are. What was not asked for cannot be
/// reached.
public protocol Loading<Root>: Sendable {
    associatedtype Root: Record
    /// What one record gets: a record, or an array.
    associatedtype Loaded: Sendable

    /// What each of these records gets, in their order.
    func load(_ records: RecordBatch<Root>, in context: any ReadContext) throws -> [Loaded]
}

/// Records with their keys and references in stored form, as they are gathered to load what is related to them.
public struct RecordBatch<R: Sendable> {
    /// Makes a record of a row and adds it to those before.
    typealias Append = (borrowing Row, inout [R]) throws -> Void

    var records: [R] = []
    let entity: Int
    /// Whether these are all there are of their entity.
    let isWhole: Bool
    /// By position: the key, and what refers to others.
    private var columns: [Int: [StoredValue]] = [:]

    init(_ request: FetchRequest, in context: any ReadContext, append: Append) throws {
        entity = request.entity
        isWhole = request.condition == nil && request.limit == nil && request.offset == 0
        let kept = keptPositions(context.schema.entities[entity])
        var columns: [[StoredValue]] = kept.map { _ in [] }
        let cursor = try context.rows(request)
        while let row = try cursor.next() {
            for (index, position) in kept.enumerated() { columns[index].append(StoredValue(row[position])) }
            try append(row, &records)
        }
        for (index, position) in kept.enumerated() { self.columns[position] = columns[index] }
    }

    /// The values of the key or of a reference, a record each.
    func values(at position: Int) -> [StoredValue] { columns[position] ?? [] }
}

extension RecordBatch where R: Record {
    /// Records at hand.
    init(_ records: [R], in context: any ReadContext) throws {
        self.records = records
        entity = try context.schema.position(ofEntity: R.entityName)
        isWhole = false
        let attributes = context.schema.entities[entity].attributes
        let kept = keptPositions(context.schema.entities[entity])
        for position in kept { columns[position] = [] }
        var writer = RowWriter(count: attributes.count)
        for record in records {
            writer.reset(count: attributes.count)
            try record.encode(into: &writer)
            for position in kept { columns[position]?.append(writer.withRow { StoredValue($0[position]) }) }
        }
    }

    init(_ request: FetchRequest, in context: any ReadContext) throws {
        try self.init(request, in: context) { row, records in try R._append(row, to: &records) }
    }

    /// Each record with what is loaded for it.
    func joined<each L: Loading>(
        _ loadings: repeat each L, in context: any ReadContext
    ) throws -> [(R, repeat (each L).Loaded)] {
        let loaded = (repeat try RecordBatch.load(each loadings, self, in: context))
        var results: [(R, repeat (each L).Loaded)] = []
        results.reserveCapacity(records.count)
        for index in records.indices { results.append((records[index], repeat (each loaded)[index])) }
        return results
    }

    private static func load<L: Loading>(
        _ loading: L, _ batch: RecordBatch<R>, in context: any ReadContext
    ) throws -> [L.Loaded] {
        guard let same = batch as? RecordBatch<L.Root> else {
            throw GranaryError(
                .invalidQuery, "A relationship of \(L.Root.entityName) is loaded with records of \(R.entityName).",
                entity: R.entityName)
        }
        return try loading.load(same, in: context)
    }
}

/// The positions of the key and of what refers to others.
private func keptPositions(_ entity: Entity) -> [Int] {
    entity.attributes.indices.filter { entity.attributes[$0].reference != nil || $0 == entity.keyPosition }
}
