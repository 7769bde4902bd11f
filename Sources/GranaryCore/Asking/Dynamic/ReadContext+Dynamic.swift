extension ReadContext {
    /// The records of a query by names.
    public func fetch(_ query: DynamicQuery) throws -> [DynamicRecord] {
        var records: [DynamicRecord] = []
        try query.forEach(in: self) { records.append($0) }
        return records
    }

    /// The record of an entity with a key, or nil.
    public func find<Key: RecordKey>(_ entity: String, _ key: Key) throws -> DynamicRecord? {
        try find(entity, key: try StoredValue(encoding: key))
    }

    /// The record of an entity with a key in its stored form, or nil.
    public func find(_ entity: String, key: StoredValue) throws -> DynamicRecord? {
        let position = try schema.position(ofEntity: entity)
        let described = schema.entities[position]
        // A value of another type is for the query to bring to the key's, or to refuse.
        guard (try? described.attributes[described.keyPosition].check(key, in: described)) != nil else {
            return try fetch(DynamicQuery(entity, where: .compare(described.key, .equal, key))).first
        }
        try checkOpen()
        return try key.withCell { key in
            guard let row = try reader.find(key, in: position) else { return nil }
            return DynamicRecord(described, row: row)
        }
    }

    /// The records of an entity with these keys in their stored form, in the order of the keys; those that do not exist are
    /// left out.
    public func find(_ entity: String, keys: some Sequence<StoredValue>) throws -> [DynamicRecord] {
        try keys.compactMap { try find(entity, key: $0) }
    }

    /// The records of an entity with these keys, in the order of the keys; those that do not exist are left out.
    public func find<Key: RecordKey>(_ entity: String, _ keys: some Sequence<Key>) throws -> [DynamicRecord] {
        try find(entity, keys: try keys.map { try StoredValue(encoding: $0) })
    }

    /// Whether an entity has a record with a key in its stored form.
    public func exists(_ entity: String, key: StoredValue) throws -> Bool { try find(entity, key: key) != nil }

    /// Whether an entity has a record with a key.
    public func exists<Key: RecordKey>(_ entity: String, _ key: Key) throws -> Bool {
        try exists(entity, key: try StoredValue(encoding: key))
    }

    /// The first record of a query by names, or nil.
    public func first(_ query: DynamicQuery) throws -> DynamicRecord? {
        try fetch(query.limit.map { $0 <= 0 ? query : query.limit(1) } ?? query.limit(1)).first
    }

    /// How many records a query names, its limit and offset included.
    public func count(_ query: DynamicQuery) throws -> Int {
        var request = try FetchRequest(query, in: schema)
        if !request.isCut { request.order = [] }
        return try rows(request.aggregated([.init(.count, nil)])).firstRow { Int($0[0].integerValue) } ?? 0
    }
}
