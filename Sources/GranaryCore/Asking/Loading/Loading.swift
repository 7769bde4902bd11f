/// Something that can be loaded with the records of a query: a relationship, alone or with relationships of its
/// records.
///
/// The argument of ``Request/with(_:)->Request<Root,(Root,A.Loaded)>``.
public protocol Loading<Root>: Sendable {
    associatedtype Root: Record
    /// The loaded value for one record: a record, or an array.
    associatedtype Loaded: Sendable

    /// The paths of the relationships that are loaded: `songs`, `albums.songs`.
    var paths: [String] { get }

    /// The loaded value for each of these records, in their order.
    func load(_ records: RecordBatch<Root>, in context: ReadContext) throws -> [Loaded]
}

/// Records with their keys and references in stored form, gathered to load their related records.
public struct RecordBatch<R: Sendable> {
    /// Makes a record of a row and adds it to those before.
    typealias Append = (borrowing Row, inout [R]) throws -> Void

    var records: [R] = []
    let entity: Int
    /// Whether these are all records of their entity.
    var isWhole: Bool
    /// The hashes that an observer compares; nil if the batch is not observed.
    let hashes: LoadedHashes?
    /// The positions of the key and of the references.
    private let kept: [Int]
    /// The values at the kept positions: for each position one value per record.
    private var columns: [[StoredValue]]

    /// An empty batch.
    init(of entity: Int, isWhole: Bool, in schema: Schema, hashes: LoadedHashes? = nil) {
        self.entity = entity
        self.isWhole = isWhole
        self.hashes = hashes
        kept = keptPositions(schema.entities[entity])
        columns = kept.map { _ in [] }
    }

    init(
        _ request: FetchRequest, in context: ReadContext, hashes: LoadedHashes? = nil, append: Append
    ) throws {
        self.init(of: request.entity, isWhole: request.isWhole, in: context.schema, hashes: hashes)
        let cursor = try context.rows(request)
        // A row points into its cursor. This is also true of the row that an error is about.
        defer { withExtendedLifetime(cursor) {} }
        while let row = try cursor.next() { try add(row, in: context.schema, append) }
    }

    /// Adds the record of a row.
    mutating func add(_ row: borrowing Row, in schema: Schema, _ append: Append) throws {
        keep(row)
        hashes?.add(row)
        do {
            try append(row, &records)
        } catch {
            throw schema.explain(error, entity, row)
        }
    }

    /// Keeps the values of a row that loading needs. Its record is added separately.
    mutating func keep(_ row: borrowing Row) {
        for (index, position) in kept.enumerated() { columns[index].append(StoredValue(row[position])) }
    }

    /// Keeps the values and the hash of a row, for an observer.
    mutating func keep(_ row: borrowing Row, _ hash: UInt64) {
        keep(row)
        hashes?.add(hash)
    }

    /// The value of the key or of a reference for each record.
    func values(at position: Int) -> [StoredValue] { kept.firstIndex(of: position).map { columns[$0] } ?? [] }
}

extension RecordBatch where R: Fetchable {
    init(_ request: FetchRequest, in context: ReadContext) throws {
        let entity = context.schema.entities[request.entity]
        try self.init(request, in: context) { row, records in try R._append(row, entity, to: &records) }
    }
}

extension RecordBatch where R: Record {
    /// Makes a batch of records that were fetched earlier.
    init(_ records: [R], in context: ReadContext) throws {
        self.init(of: try context.schema.position(ofEntity: R.entityName), isWhole: false, in: context.schema)
        self.records = records
        let attributes = context.schema.entities[entity].attributes
        var writer = RowWriter(count: attributes.count)
        for record in records {
            writer.reset(count: attributes.count)
            try record.encode(into: &writer)
            writer.withRow { keep($0) }
        }
    }

    /// Each record with what is loaded for it.
    func joined<each L: Loading>(
        _ loadings: repeat each L, in context: ReadContext
    ) throws -> [(R, repeat (each L).Loaded)] {
        let loaded = (repeat try RecordBatch.load(each loadings, self, in: context))
        var results: [(R, repeat (each L).Loaded)] = []
        results.reserveCapacity(records.count)
        for index in records.indices { results.append((records[index], repeat (each loaded)[index])) }
        return results
    }

    private static func load<L: Loading>(
        _ loading: L, _ batch: RecordBatch<R>, in context: ReadContext
    ) throws -> [L.Loaded] {
        guard let same = batch as? RecordBatch<L.Root> else {
            throw GranaryError(
                .invalidQuery, "A relationship of \(L.Root.entityName) is loaded with records of \(R.entityName).",
                entity: R.entityName)
        }
        return try loading.load(same, in: context)
    }
}

extension FetchRequest {
    /// Whether the request gives every record of its entity.
    var isWhole: Bool { condition == nil && limit == nil && offset == 0 }
}

/// The positions of the key and of the references.
private func keptPositions(_ entity: Entity) -> [Int] {
    entity.attributes.indices.filter { entity.attributes[$0].reference != nil || $0 == entity.keyPosition }
}
