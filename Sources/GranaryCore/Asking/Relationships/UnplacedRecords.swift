// A record may refer to its owner from the beginning, and must if the reference is required. So it is in the owner's
// list before `add` is called, with a place from its initializer. The record does not show whether that place was
// intended. Its history does: a record that was inserted in this transaction, or is not saved yet in this context, has
// no place until a verb of the list has given it one.

/// The records that were inserted in a transaction or a context and that have got no place from a list yet.
struct UnplacedRecords {
    private var keys: [Int: Set<StoredValue>] = [:]

    func contains(_ key: StoredValue, of entity: Int) -> Bool { keys[entity]?.contains(key) ?? false }

    mutating func insert(_ key: StoredValue, of entity: Int) { keys[entity, default: []].insert(key) }

    mutating func remove(_ key: StoredValue, of entity: Int) { _ = keys[entity]?.remove(key) }

    mutating func removeAll() { keys = [:] }
}

extension Context {
    /// Whether a record is new and has got no place from a list yet.
    func isUnplaced(_ key: StoredValue, of entity: Int) -> Bool {
        guard unplaced.contains(key, of: entity) else { return false }
        // In a context, a record that is saved has its place.
        guard let overlay = writer as? Overlay else { return true }
        return overlay.pending.change(key, of: entity)?.isNew == true
    }

    /// Notes that a list has given a record its place.
    ///
    /// - Parameter position: The position of the attribute that holds the place.
    func notePlaced(_ key: StoredValue, of entity: Int, at position: Int) {
        guard hasLists else { return }
        unplaced.remove(key, of: entity)
        (writer as? Overlay)?.noteAssigned(position, key, of: entity)
    }

    /// Notes a record that was inserted.
    @usableFromInline func noteUnplaced(_ key: StoredValue, of entity: Int) {
        guard listed.contains(entity) else { return }
        if let overlay = writer as? Overlay, overlay.pending.count == 1 { unplaced.removeAll() }
        unplaced.insert(key, of: entity)
    }

    /// The same for the record that was encoded last.
    @usableFromInline func noteUnplaced(_ entity: Int, _ assigned: Int64?) {
        guard listed.contains(entity) else { return }
        let position = schema.entities[entity].keyPosition
        let key = assigned.map(StoredValue.integer) ?? rowWriter.pointee.withRow { StoredValue($0[position]) }
        noteUnplaced(key, of: entity)
    }
}

extension Relationship {
    /// Whether the related records hold the relationship's order themselves.
    var isListOfRecords: Bool { orderedBy != nil && through == nil }
}

extension Schema {
    /// The positions of the entities whose records hold their places in lists.
    var listedEntities: Set<Int> {
        Set(
            entities.flatMap(\.relationships).filter(\.isListOfRecords).compactMap {
                try? position(ofEntity: $0.entity)
            })
    }
}
