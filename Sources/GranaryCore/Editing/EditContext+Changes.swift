/// A record that a context has changed.
public struct RecordUpdate<R: Record>: Sendable {
    /// The record in the state that the context began from.
    public let old: R
    /// The record in the context.
    public let new: R
    /// The names of the attributes that differ, in the order in which the type declares them.
    public let attributes: [String]
}

extension EditContext {
    /// The pending changes, one for each record, by entity and key. The links of a many-to-many relationship are not
    /// records and are left out: ``hasChanges`` counts them, and the relationship itself shows them.
    ///
    /// ```swift
    /// for change in edit.changes { print(change.kind, change.key) }
    /// ```
    public var changes: [RecordChange] {
        _ = try? overlay.begin()
        let pending = overlay.pending
        return pending.entities.filter { overlay.mergeRules[$0].linked == nil }.flatMap { entity in
            pending.changes(of: entity).map { key, change in
                RecordChange(place: RecordChange.Place(entity: entity, key: key), kind: change.kind)
            }
        }.sorted { $0.place < $1.place }
    }

    /// The unsaved change of a record in this context: inserted, updated or deleted; nil if it is unchanged. Changes in
    /// parents do not count.
    ///
    /// ```swift
    /// if try edit.state(of: Artist.self, 101) == .inserted { print("new") }
    /// ```
    public func state<R: Record>(of type: R.Type, _ key: R.Key) throws -> RecordChange.Kind? {
        let entity = try self.entity(of: type)
        try overlay.begin()
        return overlay.pending.change(try StoredValue(encoding: key), of: entity)?.kind
    }

    /// The unsaved change of a record in this context; nil if it is unchanged.
    public func state<R: Record>(of record: R) throws -> RecordChange.Kind? { try state(of: R.self, record.id) }

    /// The records inserted here and not saved, by key.
    ///
    /// ```swift
    /// for artist in try edit.inserted(Artist.self) { print(artist.name) }
    /// ```
    public func inserted<R: Record>(_ type: R.Type = R.self) throws -> [R] {
        try pendingRecords(type) { $0.base == nil ? $0.current : nil }
    }

    /// The records deleted here and not saved, as they were, by key.
    ///
    /// ```swift
    /// for artist in try edit.deleted(Artist.self) { print(artist.name) }
    /// ```
    public func deleted<R: Record>(_ type: R.Type = R.self) throws -> [R] {
        try pendingRecords(type) { $0.current == nil ? $0.base : nil }
    }

    /// The records changed here and not saved, by key.
    ///
    /// ```swift
    /// for update in try edit.updated(Artist.self) { print(update.old.name, update.new.name, update.attributes) }
    /// ```
    public func updated<R: Record>(_ type: R.Type = R.self) throws -> [RecordUpdate<R>] {
        let names = R.entity.attributes.map(\.name)
        let old = try pendingRecords(type) { $0.current == nil ? nil : $0.base }
        let new = try pendingRecords(type) { $0.base == nil ? nil : $0.current }
        let differences = try pendingChanges(type).compactMap { change in
            change.base.flatMap { base in change.current.map { $0.difference(from: base) } }
        }
        return zip(zip(old, new), differences).map { records, difference in
            RecordUpdate(
                old: records.0, new: records.1,
                attributes: difference.positions.filter(names.indices.contains).map { names[$0] })
        }
    }

    private func pendingChanges<R: Record>(_ type: R.Type) throws -> [PendingChanges.Change] {
        let entity = try self.entity(of: type)
        try overlay.begin()
        return overlay.pending.changes(of: entity).byKey.map(\.change)
    }

    private func pendingRecords<R: Record>(
        _ type: R.Type, _ choose: (PendingChanges.Change) -> StoredRow?
    ) throws -> [R] {
        let entity = try self.entity(of: type)
        return try pendingChanges(type).compactMap(choose).map { row in
            try row.withRow { try EngineAccess(self).record(type, of: entity, from: $0) }
        }
    }
}
