// A change set's information by record type. All of it is nil if the commit's changes are unknown because another
// process made it. Then anything may have changed, and what is shown must be read again.

extension ChangeSet {
    /// Whether both the writer and the changes of the commit are unknown: another process made it without a history.
    public var isUnknown: Bool { changes == nil && origin.isForeign }

    /// The names of the entities with changed records, in the order of the schema.
    public var entityNames: [String]? {
        guard let entities, let schema else { return nil }
        return entities.sorted().filter { schema.entities.indices.contains($0) }.map { schema.entities[$0].name }
    }

    /// Whether records of a type were changed, or may have been.
    ///
    /// ```swift
    /// for await changes in stack.changes where try changes.concerns(Song.self) { reload() }
    /// ```
    ///
    /// - Throws: `unknownEntity` if the stack's schema lacks the type.
    public func concerns<R: Record>(_ type: R.Type) throws -> Bool {
        guard let changes = try changes(of: type) else { return true }
        return !changes.isEmpty
    }

    /// The keys of the inserted records of a type, in order.
    ///
    /// ```swift
    /// for key in try changes.inserted(Song.self) ?? [] { print("new song", key) }
    /// ```
    public func inserted<R: Record>(_ type: R.Type) throws -> [R.Key]? {
        try changes(of: type)?.filter { $0.kind == .inserted }.map { try R.Key(stored: $0.key) }
    }

    /// The keys of the updated records of a type, with the names of the changed attributes.
    public func updated<R: Record>(_ type: R.Type) throws -> [(key: R.Key, attributes: [String])]? {
        try changes(of: type)?.compactMap { change in
            guard case .updated(let positions) = change.kind else { return nil }
            let attributes = schema?.entities[change.entity].attributes ?? []
            return (
                try R.Key(stored: change.key),
                attributes.indices.filter { positions.contains($0) }.map { attributes[$0].name }
            )
        }
    }

    /// The keys of the deleted records of a type.
    public func deleted<R: Record>(_ type: R.Type) throws -> [R.Key]? {
        try changes(of: type)?.filter { $0.kind == .deleted }.map { try R.Key(stored: $0.key) }
    }

    /// The changes of one entity.
    public func changes(of entity: Int) -> ArraySlice<RecordChange>? {
        guard let changes else { return nil }
        let start = changes.firstPlace { $0.entity >= entity }
        let end = changes.firstPlace { $0.entity > entity }
        return changes[start..<end]
    }

    private func changes<R: Record>(of type: R.Type) throws -> ArraySlice<RecordChange>? {
        guard let schema else { return nil }
        return changes(of: try schema.position(ofEntity: R.entityName))
    }
}

extension Array {
    /// The first index for which a condition holds. The condition must hold for all later indexes.
    fileprivate func firstPlace(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension RecordKey {
    /// The key from its stored value.
    init(stored value: StoredValue) throws { self = try value.withCell { try Self.decode($0) } }
}
