extension ReadContext {
    /// The record of an entity with a key, or nil.
    ///
    /// ```swift
    /// let artist = try context.find("Artist", 7)
    /// ```
    ///
    /// - Throws: `unknownEntity`.
    public func find(_ entity: String, _ key: some StoredKeyConvertible) throws -> DynamicRecord? {
        let key = try key.storedKey
        let position = try schema.position(ofEntity: entity)
        let described = schema.entities[position]
        // The query converts a value of another type to the type of the key, or refuses it.
        guard (try? described.attributes[described.keyPosition].check(key, in: described)) != nil else {
            return try fetch(Request(entity).where(.compare(described.key, .equal, key))).first
        }
        try checkOpen()
        return try key.withCell { key in
            guard let row = try reader.find(key, in: position) else { return nil }
            return DynamicRecord(described, row: row)
        }
    }

    /// The records of an entity with these keys, in the order of the keys; those that do not exist are left out.
    public func find(_ entity: String, _ keys: some Sequence<some StoredKeyConvertible>) throws -> [DynamicRecord] {
        try keys.compactMap { try find(entity, $0) }
    }

    /// Whether an entity has a record with a key.
    public func exists(_ entity: String, _ key: some StoredKeyConvertible) throws -> Bool {
        try find(entity, key) != nil
    }
}
