// The same finders on the main context of the default stack, for code on the main actor: they see what is pending there,
// and what they change is pending there until `Stack.default?.mainContext` is saved. They block, as is right for what an
// index answers; for more, use `await Stack.default?.read`.

@MainActor extension Query {
    public func fetch() throws -> [Root] { try reading { try $0.fetch(self) } }
    public func first() throws -> Root? { try reading { try $0.first(self) } }
    public func last() throws -> Root? { try reading { try $0.last(self) } }
    public func count() throws -> Int { try reading { try $0.count(self) } }
    public func exists() throws -> Bool { try reading { try $0.exists(self) } }

    /// Deletes the records, following the delete rules. Returns how many there were.
    @discardableResult public func deleteAll() throws -> Int { try writing { try self.deleteAll(in: $0) } }

    /// The first record of the query; if there is none, the one the closure makes, inserted.
    public func findOrCreate(_ make: () throws -> Root) throws -> Root {
        try writing { try self.findOrCreate(in: $0, make) }
    }
}

@MainActor extension Record {
    /// The record with a key, or nil.
    public static func find(_ key: Key) throws -> Self? { try reading { try find(key, in: $0) } }

    /// The records with these keys, in the order of the keys; those that do not exist are left out.
    public static func find(_ keys: some Sequence<Key>) throws -> [Self] { try reading { try find(keys, in: $0) } }

    /// The first record by key, or by a sort string.
    public static func first(by order: String = "") throws -> Self? { try reading { try first(by: order, in: $0) } }

    public static func count() throws -> Int { try reading { try count(in: $0) } }
    public static func exists(_ key: Key) throws -> Bool { try reading { try exists(key, in: $0) } }

    /// The record with the least value of a field, or nil.
    public static func first<Value: QueryExpression>(minimumOf value: (Fields) -> Value) throws -> Self?
    where Value.Root == Self {
        try reading { try first(minimumOf: value, in: $0) }
    }

    /// The record with the greatest value of a field, or nil.
    public static func first<Value: QueryExpression>(maximumOf value: (Fields) -> Value) throws -> Self?
    where Value.Root == Self {
        try reading { try first(maximumOf: value, in: $0) }
    }

    /// The record with a key; if there is none, the one the closure makes, inserted.
    public static func findOrCreate(_ key: Key, _ make: () throws -> Self) throws -> Self {
        try writing { try findOrCreate(key, in: $0, make) }
    }

    /// The first record with these values; if there is none, a new one that has them, inserted.
    public static func findOrCreate(@ConditionBuilder<Self> where condition: (Fields) -> Condition<Self>) throws -> Self
    {
        try writing { try findOrCreate(where: condition, in: $0) }
    }

    /// Deletes every record. Returns how many there were.
    @discardableResult public static func deleteAll() throws -> Int { try writing { try deleteAll(in: $0) } }

    /// Deletes every record but those with these keys. Returns how many there were.
    @discardableResult public static func deleteAll(except keys: some Sequence<Key>) throws -> Int {
        try writing { try deleteAll(except: keys, in: $0) }
    }

    /// Deletes every record but these. Returns how many there were.
    @discardableResult public static func deleteAll(except records: some Sequence<Self>) throws -> Int {
        try writing { try deleteAll(except: records, in: $0) }
    }

    @discardableResult public func insert() throws -> Self { try writing { try insert(in: $0) } }
    public func update() throws { try writing { try update(in: $0) } }
    @discardableResult public func upsert() throws -> Self { try writing { try upsert(in: $0) } }
    @discardableResult public func delete() throws -> Bool { try writing { try delete(in: $0) } }
    public func refreshed() throws -> Self? { try reading { try refreshed(in: $0) } }
}

/// - Throws: `noDefaultStack`, and what the closure throws.
@MainActor private func reading<T>(_ body: (EditContext) throws -> T) throws -> T {
    try body(try Stack.requireDefault().mainContext)
}

/// The same, all or nothing.
@MainActor private func writing<T>(_ body: (EditContext) throws -> T) throws -> T {
    let context = try Stack.requireDefault().mainContext
    return try context.savepoint { try body(context) }
}
