// Verbs that change the records of a request.
extension Request where Output == Root {
    /// Deletes every record, in the store, following the delete rules. All or nothing. Returns how many were deleted.
    ///
    /// ```swift
    /// try Artist.where { $0.name == "Prince" }.deleteAll(in: tx)
    /// ```
    @discardableResult public func deleteAll(in context: Context) throws -> Int {
        try context.deleteAll(try rows(in: context))
    }
}

extension Request where Root: Record, Output == Root {
    /// Sets chosen fields of every record, or adds to them, in the store, without reading the records.
    ///
    /// ```swift
    /// try Artist.where { $0.rating == nil }.updateAll(in: tx) { $0.set(\.rating, to: 0) }
    /// try Song.where { $0.id == key }.updateAll(in: tx) { $0.plays += 1 }
    /// try Line.all.updateAll(in: tx) { $0.set(\.total, to: $0.price * $0.quantity) }
    /// ```
    ///
    /// Uniqueness holds at the end of the call: several records may exchange or shift unique values.
    ///
    /// - Returns: How many records matched.
    /// - Throws: What ``Context/update(_:)-(R)`` throws; `invalidQuery` if the key is set; what ``Changes/add(_:_:)`` and
    ///   ``Changes/set(_:to:)-(_,Value)`` say. All or nothing.
    @discardableResult public func updateAll(
        in context: Context, _ changes: (inout Changes<Root>) throws -> Void
    ) throws -> Int {
        let number = try context.entity(of: Root.self)
        let entity = context.schema.entities[number]
        var collected = Changes<Root>()
        try changes(&collected)
        let request = try FetchRequest(untyped, in: context.schema)
        let resolver = QueryResolver(schema: context.schema)
        let changes = try collected.changes.map { name, change -> AttributeChange in
            let position = try entity.position(ofAttribute: name)
            guard name != entity.key else { throw Context.keyNeverChanges(entity) }
            switch change {
            case .assign(let operation, .success(let value)):
                return .assign(Assignment(position: position, value: value, operation: operation))
            case .assign(_, .failure(let error)): throw error.about(entity, name)
            case .compute(let expression):
                return .compute(position: position, try resolver.value(expression, for: position, of: number))
            }
        }
        return try context.updateAll(request, changing: changes)
    }

    /// The first record. If the request gives none, inserts the record that the closure makes, and returns it.
    ///
    /// ```swift
    /// let rock = try Genre.where { $0.name == "Rock" }.findOrCreate(in: tx) { Genre(name: "Rock") }
    /// ```
    ///
    /// ``Context/findOrCreate(_:_:_:)->R`` says when two callers may both create one.
    public func findOrCreate(in context: Context, _ make: () throws -> Root) throws -> Root {
        if let found = try first(in: context) { return found }
        return try context.insert(try make())
    }
}

extension Request where Root == DynamicRecord, Output == DynamicRecord {
    /// Sets attributes, by name and in stored form, of every record, adds `amounts` to others, and sets others to the values of
    /// `expressions`, computed from each record as it was; see ``Changes``. Returns how many records there are.
    ///
    /// ```swift
    /// try Request("Line").updateAll(computing: ["total": AnyExpression(parsing: "price * quantity")], in: tx)
    /// ```
    @discardableResult public func updateAll(
        setting values: [String: StoredValue] = [:], adding amounts: [String: StoredValue] = [:],
        computing expressions: [String: AnyExpression] = [:], in context: Context
    ) throws -> Int {
        let request = try FetchRequest(untyped, in: context.schema)
        let entity = context.schema.entities[request.entity]
        let resolver = QueryResolver(schema: context.schema)
        let assignments = try values.map { name, value in
            let position = try entity.position(ofAttribute: name)
            try entity.attributes[position].check(value, in: entity)
            return Assignment(position: position, value: value)
        }
        let computations = try expressions.map { name, expression in
            let position = try entity.position(ofAttribute: name)
            return (position: position, value: try resolver.value(expression, for: position, of: request.entity))
        }
        let additions = try amounts.map { name, amount in
            Assignment(position: try entity.position(ofAttribute: name), value: amount, operation: .add)
        }
        return try context.updateAll(
            request,
            changing: assignments.sorted { $0.position < $1.position }.map { .assign($0) }
                + computations.sorted { $0.position < $1.position }.map { .compute(position: $0.position, $0.value) }
                + additions.sorted { $0.position < $1.position }.map { .assign($0) })
    }
}
