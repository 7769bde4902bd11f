import GranaryPlatform

// Finders on the record types, asked of a context.
extension Record {
    /// The record with a key, or nil.
    public static func find(_ key: Key, in context: ReadContext) throws -> Self? {
        try context.find(Self.self, key)
    }

    /// The records with these keys, in the order of the keys; those that do not exist are left out.
    public static func find(_ keys: some Sequence<Key>, in context: ReadContext) throws -> [Self] {
        try context.find(Self.self, keys)
    }

    /// The first record by key, or nil.
    public static func first(in context: ReadContext) throws -> Self? { try context.first(all) }

    /// How many records there are.
    public static func count(in context: ReadContext) throws -> Int { try context.count(all) }

    /// The record with a key; if there is none, the one the closure makes, inserted.
    public static func findOrCreate(_ key: Key, in context: Context, _ make: () throws -> Self) throws -> Self {
        try context.findOrCreate(Self.self, key, make)
    }

    /// The first record with these values; if there is none, a new one that has them, inserted.
    ///
    /// ```swift
    /// let rock = try Genre.findOrCreate(where: { $0.name == "Rock" }, in: tx)
    /// ```
    ///
    /// If the attributes have a unique index that overlooks case or diacritics, the record is also found by other spellings.
    ///
    /// The condition says of attributes what they equal, joined by `&&`. A new record has the schema's defaults elsewhere,
    /// nil where it may, and a new key if the store assigns keys or they are UUIDs.
    ///
    /// - Throws: `invalidQuery` for any other condition; `required` if an attribute that is required has no value, default
    ///   or key of its own: pass a closure that makes the record.
    public static func findOrCreate(
        @ConditionBuilder<Self> where condition: (Fields) -> Condition<Self>, in context: Context
    ) throws -> Self {
        let query = Self.where(condition)
        if let found = try context.first(query) { return found }
        let position = try context.schema.position(ofEntity: entityName)
        let key = try context.insertNew(position, query.untyped.condition)
        guard let record = try context.find(Self.self, try key.withCell { try Key.decode($0) }) else {
            throw GranaryError(
                .recordNotFound, "The new record was deleted before it could be read. Call again.", entity: entityName)
        }
        return record
    }

    /// Deletes every record. Returns how many there were.
    @discardableResult public static func deleteAll(in context: Context) throws -> Int {
        try all.deleteAll(in: context)
    }

    /// Deletes every record but those with these keys, of which there may be any number. Returns how many there were.
    ///
    /// Cost: memory for the keys given, not for what is deleted.
    @discardableResult public static func deleteAll(
        except keys: some Sequence<Key>, in context: Context
    ) throws -> Int {
        let kept = try keys.map { try StoredValue(encoding: $0) }
        return try Self.where(Condition(.noneOf(kept, entity.key))).deleteAll(in: context)
    }

    /// Deletes every record but these. Returns how many there were.
    @discardableResult public static func deleteAll(
        except records: some Sequence<Self>, in context: Context
    ) throws -> Int {
        try deleteAll(except: records.map(\.id), in: context)
    }
}

extension AnyCondition {
    /// True of records whose attribute is not among the values, of which there may be any number.
    package static func noneOf(_ values: [StoredValue], _ attribute: String) -> AnyCondition {
        .all(values.chunks(of: maximumListedValues).map { .not(.among(attribute, $0)) })
    }
}

// The verbs on a record itself.
extension Record {
    /// Adds the record. The result has the key it was given where the store assigns keys.
    @discardableResult public func insert(in context: Context) throws -> Self { try context.insert(self) }
    /// Replaces the record with the same key.
    public func update(in context: Context) throws { try context.update(self) }
    /// Inserts the record, or replaces the one with the same key.
    @discardableResult public func upsert(in context: Context) throws -> Self { try context.upsert(self) }
    /// Deletes the record with this record's key. Returns whether there was one.
    @discardableResult public func delete(in context: Context) throws -> Bool { try context.delete(Self.self, id) }
    /// The record as it is in the context now; nil if it was deleted.
    public func refreshed(in context: ReadContext) throws -> Self? { try context.find(Self.self, id) }
}
