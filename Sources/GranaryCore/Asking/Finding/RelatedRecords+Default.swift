// Related records in the main context of the default stack, as the finders without a context: see ``Stack/default``.
// What changes is pending there until it is saved.

@MainActor extension RelatedRecords {
    /// The related records, in the relationship's order if it has one, else by key.
    public func fetch() throws -> [Target] { try Stack.reading { try fetch(in: $0) } }

    /// The related records of which a condition holds, in the relationship's order if it has one, else by key.
    public func fetch(@ConditionBuilder<Target> where condition: (Target.Fields) -> Condition<Target>) throws
        -> [Target]
    {
        try Stack.reading { try fetch(in: $0, where: condition) }
    }

    /// The first related record in the relationship's order, or nil.
    public func first() throws -> Target? { try Stack.reading { try first(in: $0) } }

    /// So many of the related records, the first in the relationship's order.
    public func first(_ count: Int) throws -> [Target] { try Stack.reading { try first(count, in: $0) } }

    /// The last related record in the relationship's order, or nil.
    public func last() throws -> Target? { try Stack.reading { try last(in: $0) } }

    public func count() throws -> Int { try Stack.reading { try count(in: $0) } }
    public func isEmpty() throws -> Bool { try Stack.reading { try isEmpty(in: $0) } }

    /// Whether a record is one of them.
    public func contains(_ record: Target) throws -> Bool { try Stack.reading { try contains(record, in: $0) } }

    /// Relates records to the owner, at the end of the order if there is one.
    public func add(_ records: some Sequence<Target>) throws { try Stack.writing { try add(records, in: $0) } }
    public func add(_ record: Target) throws { try Stack.writing { try add(record, in: $0) } }

    /// The same by keys.
    public func add(keys: [Target.Key]) throws { try Stack.writing { try add(keys: keys, in: $0) } }

    /// Ends the relation of records to the owner. The records stay.
    public func remove(_ records: some Sequence<Target>) throws { try Stack.writing { try remove(records, in: $0) } }
    public func remove(_ record: Target) throws { try Stack.writing { try remove(record, in: $0) } }

    /// The same by keys.
    public func remove(keys: [Target.Key]) throws { try Stack.writing { try remove(keys: keys, in: $0) } }

    /// Ends the relation of every related record.
    public func removeAll() throws { try Stack.writing { try removeAll(in: $0) } }

    /// Makes these, in this order if it is kept in a number, the related records.
    public func replace(with records: some Sequence<Target>) throws {
        try Stack.writing { try replace(with: records, in: $0) }
    }

    /// Relates a record to the owner at a place in the order, or moves it there: as ``insert(_:at:in:)``.
    public func insert(_ record: Target, at place: Int) throws {
        try Stack.writing { try insert(record, at: place, in: $0) }
    }

    /// Moves the record at one place in the order to another: as ``move(from:to:in:)``.
    public func move(from place: Int, to other: Int) throws {
        try Stack.writing { try move(from: place, to: other, in: $0) }
    }
}
