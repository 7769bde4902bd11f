extension Context {
    /// Finds the record of an entity by its key. If it does not exist, inserts the record that the closure makes.
    public func findOrCreate(
        _ entity: String, _ key: some StoredKeyConvertible, _ make: () throws -> DynamicRecord
    ) throws -> DynamicRecord {
        if let found = try find(entity, key) { return found }
        return try insert(try make())
    }

    /// The first record of an entity with these values. If it does not exist, inserts a new record that has them: like
    /// ``Record/findOrCreate(where:in:)``.
    ///
    /// - Throws: `invalidQuery` unless the condition consists of equalities of attributes, joined by `&&`; `required`
    ///   if a required attribute has no value, default or key of its own.
    public func findOrCreate(_ entity: String, where condition: AnyCondition) throws -> DynamicRecord {
        let query = Request(entity).where(condition)
        if let found = try first(query) { return found }
        let key = try insertNew(try schema.position(ofEntity: entity), condition)
        guard let record = try find(entity, key) else {
            throw GranaryError(
                .recordNotFound, "The new record was deleted before it could be read. Call again.", entity: entity)
        }
        return record
    }
}

extension Request where Root == DynamicRecord, Output == DynamicRecord {
    /// The first record. If the request gives none, inserts the record that the closure makes.
    public func findOrCreate(in context: Context, _ make: () throws -> DynamicRecord) throws -> DynamicRecord {
        if let found = try first(in: context) { return found }
        return try context.insert(try make())
    }
}
