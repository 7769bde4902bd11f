extension ReadContext {
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
            return try fetch(Request(entity).where(.compare(described.key, .equal, key))).first
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
}
