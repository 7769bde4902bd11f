extension Context {
    /// Adds a record. If the store assigns keys, the result has its new key.
    ///
    /// ```swift
    /// var artist = try DynamicRecord("Artist", in: tx.schema)
    /// try artist.set("id", to: 103)
    /// try artist.set("name", to: "Miles Davis")
    /// try tx.insert(artist)
    /// ```
    @discardableResult public func insert(_ record: DynamicRecord) throws -> DynamicRecord {
        var record = record
        record.take(key: try insert(record.values, into: try position(of: record)))
        return record
    }

    /// Replaces the record with the same key.
    ///
    /// - Throws: `recordNotFound` if no record has the key.
    public func update(_ record: DynamicRecord) throws {
        guard try update(record.values, in: try position(of: record)) else {
            throw GranaryError.noRecord(record.entity)
        }
    }

    /// Inserts the record, or replaces the one with the same key. Returns the record as it is stored, with its key and
    /// its version.
    @discardableResult public func upsert(_ record: DynamicRecord) throws -> DynamicRecord {
        var record = record
        record.take(key: try upsert(record.values, into: try position(of: record)))
        guard record.entity.version != nil else { return record }
        return try find(record.entity.name, record.key) ?? record
    }

    /// Deletes the record with this record's key. Returns whether it existed.
    @discardableResult public func delete(_ record: DynamicRecord) throws -> Bool {
        try delete(record.key, from: try position(of: record))
    }

    /// Deletes the record of an entity with a key, following the delete rules. Returns whether it existed.
    ///
    /// - Throws: `typeMismatch` if the entity's keys are of another type; what ``delete(_:_:)-(R.Type,R.Key)`` throws.
    @discardableResult public func delete(_ entity: String, _ key: some StoredKeyConvertible) throws -> Bool {
        let key = try key.storedKey
        let position = try schema.position(ofEntity: entity)
        let described = schema.entities[position]
        try described.attributes[described.keyPosition].check(key, in: described)
        return try delete(key, from: position)
    }

    /// Deletes the records of an entity with these keys, all or none. Returns how many of them existed.
    @discardableResult public func delete(
        _ entity: String, _ keys: some Sequence<some StoredKeyConvertible>
    ) throws -> Int {
        try deferringReferences { try keys.reduce(0) { try $0 + (delete(entity, $1) ? 1 : 0) } }
    }

    /// Deletes every record of an entity except the records with these keys. The number of keys is not limited. Returns
    /// how many records were deleted.
    ///
    /// ```swift
    /// let count = try tx.deleteAll("Artist", except: [100, 101])
    /// ```
    @discardableResult public func deleteAll(
        _ entity: String, except keys: some Sequence<some StoredKeyConvertible>
    ) throws -> Int {
        let key = schema.entities[try schema.position(ofEntity: entity)].key
        return try Request(entity).where(.noneOf(try keys.map { try $0.storedKey }, key)).deleteAll(in: self)
    }

    func position(of record: DynamicRecord) throws -> Int {
        let position = try schema.position(ofEntity: record.entity.name)
        let known = schema.entities[position]
        guard known.attributes.map(\.name) == record.entity.attributes.map(\.name) else {
            throw GranaryError(
                .schemaMismatch,
                "The record was made for another schema: \(known.name) has the attributes \(known.attributes.map(\.name).joined(separator: ", ")).",
                entity: known.name)
        }
        return position
    }
}
