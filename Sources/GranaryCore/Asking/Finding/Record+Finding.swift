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

    /// The record with a key. If it does not exist, inserts the record that the closure makes.
    public static func findOrCreate(_ key: Key, in context: Context, _ make: () throws -> Self) throws -> Self {
        try context.findOrCreate(Self.self, key, make)
    }

    /// The first record with these values. If it does not exist, inserts a new record that has them.
    ///
    /// ```swift
    /// let rock = try Genre.findOrCreate(where: { $0.name == "Rock" }, in: tx)
    /// ```
    ///
    /// If the attributes have a unique index that ignores case or diacritics, the record is also found by other
    /// spellings.
    ///
    /// The condition consists of equalities of attributes, joined by `&&`. The other attributes of a new record get the
    /// schema's defaults, or else nil if they are optional. The key is new if the store assigns keys or they are UUIDs.
    ///
    /// - Throws: `invalidQuery` for any other condition; `required` if a required attribute has no value, default or
    ///   key of its own: pass a closure that makes the record.
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

    /// Deletes every record. Returns how many were deleted.
    @discardableResult public static func deleteAll(in context: Context) throws -> Int {
        try all.deleteAll(in: context)
    }

    /// Deletes every record except those with these keys. The number of keys is not limited. Returns how many were
    /// deleted.
    ///
    /// Cost: memory for the keys given, not for what is deleted.
    @discardableResult public static func deleteAll(
        except keys: some Sequence<Key>, in context: Context
    ) throws -> Int {
        let kept = try keys.map { try StoredValue(encoding: $0) }
        return try Self.where(Condition(.noneOf(kept, entity.key))).deleteAll(in: context)
    }

    /// Deletes every record except these. Returns how many were deleted.
    @discardableResult public static func deleteAll(
        except records: some Sequence<Self>, in context: Context
    ) throws -> Int {
        try deleteAll(except: records.map(\.id), in: context)
    }
}

extension AnyCondition {
    /// True for records whose attribute is not among the values. The number of values is not limited.
    package static func noneOf(_ values: [StoredValue], _ attribute: String) -> AnyCondition {
        .all(values.chunks(of: maximumListedValues).map { .not(.among(attribute, $0)) })
    }
}

// The verbs on a record itself.
extension Record {
    /// Adds the record. Where the store assigns keys, the result has its new key.
    @discardableResult public func insert(in context: Context) throws -> Self { try context.insert(self) }
    /// Replaces the record with the same key.
    public func update(in context: Context) throws { try context.update(self) }
    /// Inserts the record, or replaces the one with the same key.
    @discardableResult public func upsert(in context: Context) throws -> Self { try context.upsert(self) }
    /// Deletes the record with this record's key. Returns whether it existed.
    @discardableResult public func delete(in context: Context) throws -> Bool { try context.delete(Self.self, id) }
    /// The record as it is in the context now; nil if it was deleted.
    public func refreshed(in context: ReadContext) throws -> Self? { try context.find(Self.self, id) }
}
