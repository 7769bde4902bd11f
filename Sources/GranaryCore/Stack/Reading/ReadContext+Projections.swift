extension ReadContext {
    /// The chosen values of a query's records, a tuple a record, in its order.
    public func fetch<R: Record, each Value: AttributeValue>(
        _ projection: Projection<R, repeat each Value>
    ) throws -> [(repeat each Value)] {
        var values: [(repeat each Value)] = []
        try forEach(projection) { (row: (repeat each Value)) in values.append(row) }
        return values
    }

    /// The chosen values made into something else: `fetch(Song.select { ($0.title, $0.plays) }, as: Summary.init)`.
    public func fetch<R: Record, each Value: AttributeValue, T>(
        _ projection: Projection<R, repeat each Value>, as make: (repeat each Value) throws -> T
    ) throws -> [T] {
        var values: [T] = []
        try forEach(projection) { (row: (repeat each Value)) in values.append(try make(repeat each row)) }
        return values
    }

    /// The chosen values of the first record, or nil.
    public func first<R: Record, each Value: AttributeValue>(
        _ projection: Projection<R, repeat each Value>
    ) throws -> (repeat each Value)? {
        var projection = projection
        let limit = projection.query.limit
        if let limit, limit <= 0 { return try fetch(projection).first }
        projection.query.limit = 1
        return try fetch(projection).first
    }

    /// Calls a closure with each tuple, one at a time, in constant memory.
    public func forEach<R: Record, each Value: AttributeValue>(
        _ projection: Projection<R, repeat each Value>, _ body: ((repeat each Value)) throws -> Void
    ) throws {
        let request = try FetchRequest(projection, in: schema)
        let cursor = try rows(request)
        while let row = try cursor.next() {
            var columns = ColumnReader(row, schema.entities[request.entity].name)
            try body((repeat try columns.next((each Value).self)))
        }
    }

    /// How many tuples a projection gives: of a distinct one, how many different ones.
    public func count<R: Record, each Value: AttributeValue>(
        _ projection: Projection<R, repeat each Value>
    ) throws -> Int {
        guard projection.isDistinct else { return try count(projection.query) }
        return try countRows(try FetchRequest(projection, in: schema))
    }

    /// How many rows a request gives, one after the other.
    func countRows(_ request: FetchRequest) throws -> Int {
        var count = 0
        let cursor = try rows(request)
        while try cursor.next() != nil { count += 1 }
        return count
    }

    /// How the store would answer.
    public func explain<R: Record, each Value: AttributeValue>(
        _ projection: Projection<R, repeat each Value>
    ) throws -> QueryPlan {
        try explain(try FetchRequest(projection, in: schema))
    }
}

/// The columns of a row, one after the other.
struct ColumnReader: ~Copyable {
    private let cells: UnsafePointer<Cell>
    private let count: Int
    private let entity: String
    private var position = 0

    /// For as long as the row is lent.
    init(_ row: borrowing Row, _ entity: String) {
        cells = row.cells
        count = row.count
        self.entity = entity
    }

    mutating func next<Value: AttributeValue>(_ type: Value.Type) throws -> Value {
        var cell = position < count ? cells[position] : .null
        position += 1
        // Floats are computed with as doubles; what comes of it is read as the nearest Float.
        if case .float = Value.attributeType, cell.kind == .real { cell = .real(Double(Float(cell.realValue))) }
        do {
            return try Value.decode(cell)
        } catch let error as GranaryError {
            var named = error
            named.entity = entity
            // A stored value that its own attribute takes, but the type asked for does not.
            if error.code == .corrupt {
                named.code = .typeMismatch
                named.message = "Value \(position) of the row is no \(Value.self): it is \(cell.kind)."
            }
            throw named
        }
    }
}
