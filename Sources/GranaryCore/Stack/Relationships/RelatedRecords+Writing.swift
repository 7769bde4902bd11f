// A to-many relationship is changed by changing the references of the related records, a many-to-many one by adding and
// removing links. Both directions are read from the same place, so that they always agree.

extension RelatedRecords {
    /// Relates records to the owner, at the end of the order if there is one. Those that are related already stay where
    /// they are; one that was related to another owner leaves it, unless the relationship is many-to-many. The order gives
    /// them numbers after the last one; one that is kept in a text or a date is left as the records have it.
    ///
    /// All or none. The records are in the store already.
    ///
    /// - Throws: `danglingReference` if the owner or one of the records is not there; `range` if the attribute that holds
    ///   the order does not count so far.
    public func add(_ records: some Sequence<Target>, in context: some Context) throws {
        try add(keys: records.map(\.id), in: context)
    }

    public func add(_ record: Target, in context: some Context) throws { try add(keys: [record.id], in: context) }

    /// The same by keys.
    public func add(keys: [Target.Key], in context: some Context) throws {
        let editor = try Editor(self, context)
        try context.savepoint {
            let existing = try links(in: context)
            var known = Set(existing.map(\.member))
            let added = try editor.stored(keys).filter { known.insert($0).inserted }
            let end = try editor.end(of: existing, leaving: added.count)
            for (place, key) in added.enumerated() { try editor.link(key, at: end + Int64(place)) }
        }
    }

    /// Ends the relation of records to the owner; those that are not related to it are passed over. The records stay.
    ///
    /// - Throws: `required` if their reference to the owner cannot be nil: delete the records instead.
    public func remove(_ records: some Sequence<Target>, in context: some Context) throws {
        try remove(keys: records.map(\.id), in: context)
    }

    public func remove(_ record: Target, in context: some Context) throws {
        try remove(keys: [record.id], in: context)
    }

    /// The same by keys.
    public func remove(keys: [Target.Key], in context: some Context) throws {
        let editor = try Editor(self, context)
        try editor.unlink(try editor.stored(keys))
    }

    /// Ends the relation of every related record.
    public func removeAll(in context: some Context) throws {
        let editor = try Editor(self, context)
        try context.savepoint { try editor.unlink(try links(in: context).map(\.member)) }
    }

    /// Makes these, in this order if it is kept in a number, the related records: relates those that are not, and ends the
    /// relation of the others.
    public func replace(with records: some Sequence<Target>, in context: some Context) throws {
        let editor = try Editor(self, context)
        var wanted: [StoredValue] = []
        var listed: Set<StoredValue> = []
        for key in try editor.stored(records.map(\.id)) where listed.insert(key).inserted { wanted.append(key) }
        try context.savepoint {
            try editor.unlink(try links(in: context).map(\.member).filter { !listed.contains($0) })
            let known = Set(try links(in: context).map(\.member))
            for key in wanted where !known.contains(key) { try editor.link(key, at: Int64(wanted.count)) }
            try editor.arrange(wanted)
        }
    }

    /// Relates a record to the owner at a place in the order, or moves it there; places are counted from 0, and one beyond
    /// the end is the end.
    ///
    /// - Throws: `invalidQuery` if the relationship has no order, or one that is not kept in a number.
    public func insert(_ record: Target, at place: Int, in context: some Context) throws {
        let editor = try Editor(self, context)
        try editor.checkOrdered()
        try context.savepoint {
            try add(record, in: context)
            var members = try links(in: context).map(\.member)
            let key = try StoredValue(encoding: record.id)
            members.removeAll { $0 == key }
            members.insert(key, at: max(0, min(place, members.count)))
            try editor.arrange(members)
        }
    }

    /// Moves the record at one place in the order to another.
    ///
    /// - Throws: `invalidQuery` if the relationship has no order, or one that is not kept in a number, or no record is at
    ///   the place.
    public func move(from place: Int, to other: Int, in context: some Context) throws {
        let editor = try Editor(self, context)
        try editor.checkOrdered()
        try context.savepoint {
            var members = try links(in: context).map(\.member)
            guard members.indices.contains(place) else {
                throw GranaryError(
                    .invalidQuery, "\(relationship.name) has \(members.count) records: there is none at \(place).",
                    entity: Root.entityName)
            }
            let moved = members.remove(at: place)
            members.insert(moved, at: max(0, min(other, members.count)))
            try editor.arrange(members)
        }
    }
}
