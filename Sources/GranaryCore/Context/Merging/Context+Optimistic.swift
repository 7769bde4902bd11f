internal import Logging

// Values are read in one transaction and written in another. These say from which state a record was changed, so that what
// others did in between is merged or noticed, without a context.

extension Context {
    /// Updates a record that was changed from an `old` value, read earlier: what others have changed since is merged
    /// attribute by attribute, as a save of a context does.
    ///
    /// ```swift
    /// let old = try await stack.read { try $0.find(Artist.self, 100) }!
    /// var artist = old
    /// artist.rating = 5
    /// try await stack.write { [artist] tx in try tx.update(artist, from: old) }
    /// ```
    ///
    /// - Parameter onConflict: Given the conflict that the policy has settled, if there was one. It is logged as a notice, too.
    /// A record with a version that the store has raised since `old` was read is a conflict, whatever was changed.
    ///
    /// - Returns: The record as it is stored; nil if a policy keeps it deleted.
    /// - Throws: `mergeConflict` where the policy does not settle it, and what `update` throws.
    @discardableResult public func update<R: Record>(
        _ record: R, from old: R, mergePolicy: MergePolicy = .error, onConflict: ((MergeConflict) -> Void)? = nil
    ) throws -> R? {
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
            entity: schema.entities[entity], change: PendingChanges.Change(base: base, current: mine), store: store)
        let wanted: StoredRow?
        var settled: MergeConflict?
        switch try merge.outcome() {
        case .merged(let row): wanted = row
        case .conflict(let conflict):
            let resolution = try mergePolicy.resolution(of: conflict)
            wanted = try merge.resolved(resolution, conflict)
            settled = conflict
        }
        let result = try wanted?.withRow { (row: borrowing Row) throws in try R(row: row) }
        if let wanted, let result, store.map({ $0.isSame(as: wanted) }) != true { try upsert(result) }
        if let settled { [settled].report(to: .granary, nil) { _ in onConflict?(settled) } }
        // The library raises its version.
        return R.entity.version == nil ? result : try result.flatMap { try find(R.self, $0.id) }
    }
}

extension StoredRow {
    convenience init<R: Record>(encoding record: R, _ schema: Schema, _ entity: Int) throws {
        var writer = RowWriter(count: schema.entities[entity].attributes.count)
        try record.encode(into: &writer)
        let copy = writer.withRow { StoredRow($0) }
        self.init(copying: copy.cells, count: copy.count)
    }
}

/// Runs a piece of work again when it fails because somebody else was faster: on `mergeConflict`, `uniqueness` and `busy`,
/// a little later each time.
///
/// ```swift
/// try await retryingConflicts {
///     try await stack.write { tx in … }      // read anew what it works on
/// }
/// ```
///
/// - Parameter attempts: How often it is run at most.
/// - Throws: What the last attempt threw; any other error at once.
public func retryingConflicts<T>(
    attempts: Int = 5, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
) async throws -> T {
    var attempt = 1
    while true {
        do {
            return try await body()
        } catch let error as GranaryError
            where attempt < attempts && [.mergeConflict, .uniqueness, .busy].contains(error.code)
        {
            // 1, 2, 4 ... milliseconds, give or take half, so that two do not meet again and again.
            let milliseconds = Double(1 << min(attempt - 1, 10)) * Double.random(in: 0.5...1.5)
            try await Task.sleep(for: .milliseconds(milliseconds))
            attempt += 1
        }
    }
}
