// New records mostly have keys that ascend. Once the greatest key of a state is known, a greater key needs no search in it.

/// The greatest key of each entity in one state one level up.
struct GreatestKeys {
    private enum Known {
        case searched
        case greatest(StoredValue?)
    }

    private var state: BelowState?
    private var generation = 0
    private var keys: [Int: Known] = [:]

    /// Whether a key is known to be greater than all keys of its entity.
    ///
    /// The greatest key is not read before the second key: with one insertion for each state it would cost more than it
    /// saves. It is not read from the context that a child is over, which finds its records in a hash table.
    ///
    /// - Parameters:
    ///   - state: Identifies the state; nil for one that is not committed.
    ///   - generation: The number of the store's contents: after a reset, another state may have the same number.
    mutating func isBeyond(
        _ key: StoredValue, of entity: Int, _ state: BelowState?, _ generation: Int, _ below: any StoreReader
    ) throws -> Bool {
        guard let state, state.versions.isEmpty else { return false }
        if state != self.state || generation != self.generation {
            (self.state, self.generation) = (state, generation)
            keys.removeAll(keepingCapacity: true)
        }
        switch keys[entity] {
        case nil:
            keys[entity] = .searched
            return false
        case .searched:
            let greatest = try GreatestKeys.greatest(of: entity, below)
            keys[entity] = .greatest(greatest)
            return greatest.map { $0 < key } ?? true
        case .greatest(let greatest): return greatest.map { $0 < key } ?? true
        }
    }

    private static func greatest(of entity: Int, _ below: any StoreReader) throws -> StoredValue? {
        let schema = below.schema
        let key = QueryResolver(schema: schema).attribute(schema.entities[entity].keyPosition, of: entity)
        var request = FetchRequest(entity: entity, limit: 1)
        request.order = [FetchRequest.OrderTerm(key, isDescending: true)]
        request.columns = [key]
        let cursor = try below.rows(request)
        guard let row = try cursor.next() else { return nil }
        return StoredValue(row[0])
    }
}
