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
    /// try Song.where { $0.id == key }.updateAll(in: tx) { $0.add(\.plays, 1) }
    /// ```
    ///
    /// Uniqueness holds at the end of the call: several records may exchange or shift unique values.
    ///
    /// - Returns: How many records matched.
    /// - Throws: What ``Context/update(_:)-(R)`` throws; `invalidQuery` if the key is set; the errors of
    ///   ``Changes/add(_:_:)``. All or nothing.
    @discardableResult public func updateAll(
        in context: Context, _ changes: (inout Changes<Root>) throws -> Void
    ) throws -> Int {
        let entity = context.schema.entities[try context.entity(of: Root.self)]
        var collected = Changes<Root>()
        try changes(&collected)
        let request = try FetchRequest(untyped, in: context.schema)
        let assignments = try collected.values.map { name, operation, value in
            let attribute = try entity.position(ofAttribute: name)
            guard name != entity.key else {
                throw Context.keyNeverChanges(entity)
            }
            switch value {
            case .success(let value): return Assignment(position: attribute, value: value, operation: operation)
            case .failure(let error): throw error.about(entity, name)
            }
        }
        return try context.updateAll(request, setting: assignments)
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
    /// Sets attributes of every record, by name and in stored form, and adds `amounts` to others; see
    /// ``Changes/add(_:_:)``. Returns the number of records.
    @discardableResult public func updateAll(
        setting values: [String: StoredValue] = [:], adding amounts: [String: StoredValue] = [:], in context: Context
    ) throws -> Int {
        let request = try FetchRequest(untyped, in: context.schema)
        let entity = context.schema.entities[request.entity]
        let assignments = try values.map { name, value in
            let position = try entity.position(ofAttribute: name)
            try entity.attributes[position].check(value, in: entity)
            return Assignment(position: position, value: value)
        }
        let additions = try amounts.map { name, amount in
            Assignment(position: try entity.position(ofAttribute: name), value: amount, operation: .add)
        }
        let all = assignments.sorted { $0.position < $1.position } + additions.sorted { $0.position < $1.position }
        return try context.updateAll(request, setting: all)
    }
}
