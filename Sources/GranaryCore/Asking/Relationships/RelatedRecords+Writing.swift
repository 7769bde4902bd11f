extension RelatedRecords {
    /// Relates records to the owner, at the end of the order if there is one. Those that are related already stay where
    /// they are, but for those without a place of their own: a record that refers to the owner since it was inserted, in this
    /// transaction or in this context before its save, and one whose place is nil or is another record's, come last, too. One
    /// that was related to another owner leaves it, unless the relationship is many-to-many. The order gives
    /// them numbers after the last one; one that is kept in a text or a date is left as the records have it. Where the other
    /// side of a many-to-many relationship is ordered, the owner comes last in the order of each of the records.
    ///
    /// All or none. The records are in the store already. Cost: that of these records, however many are related already;
    /// of an order kept without an index on the owner and the place, all of the owner's are read to find the last.
    ///
    /// - Throws: `danglingReference` if the owner is not there, or one of the records of a many-to-many relationship,
    ///   `recordNotFound` if another is not; `range` if the attribute that holds
    ///   the order does not count so far.
    public func add(_ records: some Sequence<Target>, in context: Context) throws {
        let editor = try editor(in: context)
        try editor.add(try stored(records, editor.links, in: context.schema))
    }

    public func add(_ record: Target, in context: Context) throws { try add(CollectionOfOne(record), in: context) }

    /// The same by keys.
    public func add(keys: some Sequence<Target.Key>, in context: Context) throws {
        let editor = try editor(in: context)
        try editor.add(try stored(keys: keys, editor.links, in: context.schema))
    }

    /// Ends the relation of records to the owner. Records that are not related to it are ignored. The records
    /// themselves stay.
    ///
    /// - Throws: `required` if their reference to the owner cannot be nil: delete the records instead.
    public func remove(_ records: some Sequence<Target>, in context: Context) throws {
        let editor = try editor(in: context)
        try editor.remove(try stored(records, editor.links, in: context.schema))
    }

    public func remove(_ record: Target, in context: Context) throws {
        try remove(CollectionOfOne(record), in: context)
    }

    /// The same by keys.
    public func remove(keys: some Sequence<Target.Key>, in context: Context) throws {
        let editor = try editor(in: context)
        try editor.remove(try stored(keys: keys, editor.links, in: context.schema))
    }

    /// Ends the relation of every related record.
    public func removeAll(in context: Context) throws {
        try editor(in: context).removeAll()
    }

    /// Makes these records, and no others, the related ones: relates those that are not related yet, and ends the
    /// relation of the others. If the order is kept in a number, they get this order.
    public func replace(with records: some Sequence<Target>, in context: Context) throws {
        let editor = try editor(in: context)
        try editor.replace(with: try stored(records, editor.links, in: context.schema))
    }

    /// The same by keys.
    public func replace(withKeys keys: some Sequence<Target.Key>, in context: Context) throws {
        let editor = try editor(in: context)
        try editor.replace(with: try stored(keys: keys, editor.links, in: context.schema))
    }

    /// Relates a record to the owner at a place in the order, or moves it there. Places are counted from 0. A place
    /// beyond the end means the end.
    ///
    /// - Throws: `invalidQuery` if the relationship has no order, or one that is not kept in a number.
    public func insert(_ record: Target, at place: Int, in context: Context) throws {
        let editor = try editor(in: context)
        for key in try stored(CollectionOfOne(record), editor.links, in: context.schema) {
            try editor.insert(key, at: place)
        }
    }

    /// The same by key.
    public func insert(key: Target.Key, at place: Int, in context: Context) throws {
        let editor = try editor(in: context)
        for key in try stored(keys: CollectionOfOne(key), editor.links, in: context.schema) {
            try editor.insert(key, at: place)
        }
    }

    /// Moves the record at one place in the order to another.
    ///
    /// - Throws: `invalidQuery` if the relationship has no order, or one that is not kept in a number, or no record is at
    ///   the place.
    public func move(from place: Int, to other: Int, in context: Context) throws {
        try editor(in: context).move(from: place, to: other)
    }

    private func editor(in context: Context) throws -> LinkEditor {
        LinkEditor(try links(in: context.schema), context)
    }
}
