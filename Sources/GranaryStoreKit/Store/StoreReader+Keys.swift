extension StoreReader {
    /// The keys of the records of a request, in its order.
    package func keys(_ request: FetchRequest) throws -> [StoredValue] {
        let entity = schema.entities[request.entity]
        let type = entity.attributes[entity.keyPosition].type
        var request = request
        request.columns = [TypedExpression(.attribute(entity.keyPosition), type, isOptional: false)]
        request.isDistinct = false
        let rows = try rows(request)
        defer { withExtendedLifetime(rows) {} }
        var keys: [StoredValue] = []
        while let row = try rows.next() { keys.append(StoredValue(row[0])) }
        return keys
    }
}
