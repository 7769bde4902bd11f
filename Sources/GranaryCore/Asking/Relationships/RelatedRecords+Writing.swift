extension RelatedRecords {
    /// Relates records to the owner, at the end of the order if there is one.
    ///
    /// ```swift
    /// try playlist.songs.add([song], in: tx)
    /// ```
    ///
    /// Records that are related already keep their places, with these exceptions, which also go to the end: a record
    /// that has referred to the owner since it was inserted in this transaction, or in this context before its save;
    /// and a record whose place is nil or is also another record's. A record that was related to another owner leaves
    /// that owner, unless the relationship is many-to-many. An attribute that `orderedBy:` names gets the numbers after
    /// the last one. If the order is kept in a text or a date, it is not written. If the other side of a many-to-many relationship is
    /// ordered, the owner comes last in the order of each of the records.
    ///
    /// All or none. The records must exist in the store. Cost: that of these records, however many are related already.
    /// For an order without an index on the owner and the place, all related records of the owner are read to find the
    /// last place.
    ///
    /// - Throws: `danglingReference` if the owner, or one of the records of a many-to-many relationship, does not
    ///   exist; `recordNotFound` if a record of another relationship does not exist; `range` if the attribute that
    ///   holds the order cannot hold the next number.
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

    /// Makes these records the related ones: relates those that are not related yet, and ends the relation of all
    /// others. If the order is kept in a number, they get this order. In a many-to-many relationship, links that stay in
    /// order are not written.
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
    /// ```swift
    /// try playlist.songs.insert(song, at: 0, in: tx)
    /// ```
    ///
    /// Cost in a many-to-many relationship: the links up to the place are read, and one link is written. The links hold
    /// numbers with gaps. When many records have been put at one place, its gap is used up, and a few of the following
    /// links are written too: on average a small number, however long the list is. In a relationship with `orderedBy:`
    /// the numbers belong to your records, which may show them, so they stay 0, 1, 2: every record between the old place
    /// and the new one is written, after an insertion all that follow.
    ///
    /// - Throws: `invalidQuery` if the relationship has no order, or if its order is not kept in a number.
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

    /// Moves the record at one place in the order to another. Cost: as for ``insert(_:at:in:)``.
    ///
    /// - Throws: `invalidQuery` if the relationship has no order, if its order is not kept in a number, or if no record
    ///   is at the place.
    public func move(from place: Int, to other: Int, in context: Context) throws {
        try editor(in: context).move(from: place, to: other)
    }

    private func editor(in context: Context) throws -> LinkEditor {
        LinkEditor(try links(in: context.schema), context)
    }
}
