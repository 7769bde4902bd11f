import Logging

// Records are read in one transaction and written in another. These verbs take the state from which a record was
// changed, so that changes that others made in between are merged or noticed, without a context.

extension Context {
    /// Updates a record that was changed from an `old` value, read earlier. What others have changed since is merged
    /// attribute by attribute, as in a save of a context.
    ///
    /// ```swift
    /// let old = try await stack.read { try $0.find(Artist.self, 100) }!
    /// var artist = old
    /// artist.rating = 5
    /// try await stack.write { [artist] tx in try tx.update(artist, from: old) }
    /// ```
    ///
    /// If the record has a version that the store has raised since `old` was read, there is a conflict, whatever was
    /// changed.
    ///
    /// - Parameters:
    ///   - record: The record with its new values.
    ///   - old: The record as it was read.
    ///   - mergePolicy: What happens to a conflict. By default it is thrown.
    ///   - onConflict: Called with the conflict that the policy has settled, if there was one. It is also logged as a
    ///     notice.
    /// - Returns: The record as it is stored; nil if a policy keeps it deleted.
    /// - Throws: `mergeConflict` if the policy does not settle it, and what `update` throws.
    @discardableResult public func update<R: Record>(
        _ record: R, from old: R, mergePolicy: MergePolicy = .error, onConflict: ((MergeConflict) -> Void)? = nil
    ) throws -> R? {
        let (result, settled) = try inOneState { try merge(record, from: old, mergePolicy) }
        if let settled { [settled].report(to: types.logs[.merge], nil) { _ in onConflict?(settled) } }
        return result
    }

    private func merge<R: Record>(
        _ record: R, from old: R, _ policy: MergePolicy
    ) throws -> (result: R?, settled: MergeConflict?) {
        let entity = try self.entity(of: R.self)
        let (base, mine) = (
            try StoredRow(encoding: old, schema, entity), try StoredRow(encoding: record, schema, entity)
        )
        let position = schema.entities[entity].keyPosition
        guard areSame(base[position], mine[position]) else {
            throw Transaction.keyNeverChanges(schema.entities[entity])
        }
        let store = try find(R.self, record.id).map { try StoredRow(encoding: $0, schema, entity) }
        let merge = ThreeWayMerge(
            place: RecordChange.Place(entity: entity, key: mine.value(at: position)),
            entity: schema.entities[entity], change: PendingChanges.Change(base: base, current: mine), store: store
        ) { name, key in try self.find(name, key) != nil }
        let (wanted, settled): (StoredRow?, MergeConflict?)
        switch try merge.settled(by: policy) {
        case .record(let row, let conflict): (wanted, settled) = (row, conflict)
        case .unsettled(let conflict): throw GranaryError.unmerged([conflict])
        }
        let result = try wanted?.withRow { (row: borrowing Row) throws in
            try schema.entities[entity].record(R.self, from: row)
        }
        if let wanted, let result, store.map({ $0.isSame(as: wanted) }) != true { try upsert(result) }
        // The library has raised the version.
        let stored = R.entity.version == nil ? result : try result.flatMap { try find(R.self, $0.id) }
        return (stored, settled)
    }
}

extension StoredRow {
    convenience init<R: Record>(encoding record: R, _ schema: Schema, _ entity: Int) throws {
        var writer = RowWriter(count: schema.entities[entity].attributes.count)
        do {
            try record.encode(into: &writer)
        } catch {
            throw schema.explain(error, entity)
        }
        let copy = writer.withRow { StoredRow($0) }
        self.init(copying: copy.cells, count: copy.count)
    }
}
