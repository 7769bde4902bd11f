// The same finders on the main context of the default stack, for code on the main actor: they see what is pending there,
// and what they change is pending there until `Stack.default?.mainContext` is saved. They block, as is right for what an
// index answers; for more, use `await Stack.default?.read`.

@MainActor extension Query {
    public func fetch() throws -> [Root] { try Stack.reading { try $0.fetch(self) } }
    public func first() throws -> Root? { try Stack.reading { try $0.first(self) } }
    public func last() throws -> Root? { try Stack.reading { try $0.last(self) } }
    public func count() throws -> Int { try Stack.reading { try $0.count(self) } }
    public func exists() throws -> Bool { try Stack.reading { try $0.exists(self) } }

    /// Sets chosen fields of the records. Returns how many there are.
    @discardableResult public func updateAll(_ changes: (inout Changes<Root>) throws -> Void) throws -> Int {
        try Stack.writing { try updateAll(in: $0, changes) }
    }

    /// Deletes the records, following the delete rules. Returns how many there were.
    @discardableResult public func deleteAll() throws -> Int { try Stack.writing { try self.deleteAll(in: $0) } }

    /// The first record of the query; if there is none, the one the closure makes, inserted.
    public func findOrCreate(_ make: () throws -> Root) throws -> Root {
        try Stack.writing { try self.findOrCreate(in: $0, make) }
    }
}

@MainActor extension Record {
    /// The record with a key, or nil.
    public static func find(_ key: Key) throws -> Self? { try Stack.reading { try find(key, in: $0) } }

    /// The records with these keys, in the order of the keys; those that do not exist are left out.
    public static func find(_ keys: some Sequence<Key>) throws -> [Self] {
        try Stack.reading { try find(keys, in: $0) }
    }

    /// The first record by key, or by a sort string.
    public static func first(by order: String = "") throws -> Self? {
        try Stack.reading { try first(by: order, in: $0) }
    }

    /// The last record by key, or by a sort string.
    public static func last(by order: String = "") throws -> Self? { try Stack.reading { try last(by: order, in: $0) } }

    public static func count() throws -> Int { try Stack.reading { try count(in: $0) } }
    /// Whether there is any record.
    public static func exists() throws -> Bool { try Stack.reading { try exists(in: $0) } }

    public static func exists(_ key: Key) throws -> Bool { try Stack.reading { try exists(key, in: $0) } }

    /// The record with the least value of a field, or nil.
    public static func first<Value: QueryExpression>(minimumOf value: (Fields) -> Value) throws -> Self?
    where Value.Root == Self {
        try Stack.reading { try first(minimumOf: value, in: $0) }
    }

    /// The record with the greatest value of a field, or nil.
    public static func first<Value: QueryExpression>(maximumOf value: (Fields) -> Value) throws -> Self?
    where Value.Root == Self {
        try Stack.reading { try first(maximumOf: value, in: $0) }
    }

    /// The record with a key; if there is none, the one the closure makes, inserted.
    public static func findOrCreate(_ key: Key, _ make: () throws -> Self) throws -> Self {
        try Stack.writing { try findOrCreate(key, in: $0, make) }
    }

    /// The first record with these values; if there is none, a new one that has them, inserted.
    public static func findOrCreate(@ConditionBuilder<Self> where condition: (Fields) -> Condition<Self>) throws -> Self
    {
        try Stack.writing { try findOrCreate(where: condition, in: $0) }
    }

    /// Deletes every record. Returns how many there were.
    @discardableResult public static func deleteAll() throws -> Int { try Stack.writing { try deleteAll(in: $0) } }

    /// Deletes every record but those with these keys. Returns how many there were.
    @discardableResult public static func deleteAll(except keys: some Sequence<Key>) throws -> Int {
        try Stack.writing { try deleteAll(except: keys, in: $0) }
    }

    /// Deletes every record but these. Returns how many there were.
    @discardableResult public static func deleteAll(except records: some Sequence<Self>) throws -> Int {
        try Stack.writing { try deleteAll(except: records, in: $0) }
    }

    @discardableResult public func insert() throws -> Self { try Stack.writing { try insert(in: $0) } }
    public func update() throws { try Stack.writing { try update(in: $0) } }
    @discardableResult public func upsert() throws -> Self { try Stack.writing { try upsert(in: $0) } }
    @discardableResult public func delete() throws -> Bool { try Stack.writing { try delete(in: $0) } }
    public func refreshed() throws -> Self? { try Stack.reading { try refreshed(in: $0) } }
}
