extension Overlay {
    /// The rules of an entity.
    ///
    /// - Throws: `unknownEntity`.
    func rules(of entity: Int) throws -> EntityRules {
        guard schema.entities.indices.contains(entity) else {
            throw GranaryError.noEntity(at: entity)
        }
        return rules[entity]
    }

    /// The keys of records that hold one of these values one level up and have no change that is shown here.
    ///
    /// - Parameters:
    ///   - number: The number of the entity's lookup.
    ///   - condition: A condition for the same records.
    private func keysBelow(
        _ values: [StoredValue], _ number: Int, of entity: Int, _ condition: () -> ResolvedCondition
    ) throws -> [StoredValue] {
        try withBelow { below in
            let shown = try shown(over: below).changes
            return try Overlay.keys(values, number, of: entity, below, condition)
                .filter { shown.change($0, of: entity) == nil }
        }
    }

    /// The keys of records that are changed here and hold one of these values, without those that are hidden.
    private func shownHolders(of values: [StoredValue], _ number: Int, of entity: Int) throws -> [StoredValue] {
        let pending = lookup(number, of: entity)
        let keys = values.flatMap { pending.keys(of: $0) }
        guard !keys.isEmpty, hidesChanges(of: entity) else { return keys }
        return try withBelow { below in
            let shown = try shown(over: below).changes
            return keys.filter { shown.change($0, of: entity)?.current != nil }
        }
    }

    /// Whether changed records may be hidden because a cascade deletes them with another one. A hidden link still
    /// blocks another link.
    private func hidesChanges(of entity: Int) -> Bool { showing.mayDiffer && mergeRules[entity].linked == nil }

    // A layer finds the holders of a value without going through all its changes. The level below the last layer is
    // queried.
    private static func keys(
        _ values: [StoredValue], _ number: Int, of entity: Int, _ reader: any StoreReader,
        _ condition: () -> ResolvedCondition
    ) throws -> [StoredValue] {
        let owned = (reader as? OwningReader)?.reader ?? reader
        guard let layer = owned as? OverlayReader, let lookup = layer.lookup(number, of: entity) else {
            return try reader.keys(FetchRequest(entity: entity, condition: condition()))
        }
        let below = try keys(values, number, of: entity, layer.below, condition)
        return below.filter { layer.pending.change($0, of: entity) == nil } + values.flatMap { lookup.keys(of: $0) }
    }
}

// The overlay checks its pending changes first, because that costs no query.
extension Overlay: OtherRecords {
    package func exists(_ key: StoredValue, of entity: Int) throws -> Bool {
        if let change = try shownChange(key, of: entity) { return change.current != nil }
        if let held { return try key.withCell { try held.reader.find($0, in: entity) != nil } }
        return try withBelow { below in try key.withCell { try below.find($0, in: entity) != nil } }
    }

    package func isHeld(
        _ value: StoredValue, _ number: Int, of entity: Int, besides key: StoredValue, _ row: StoredRow
    ) throws -> Bool {
        if lookup(number, of: entity).isHeld(value, besides: key) {
            guard hidesChanges(of: entity) else { return true }
            if try shownHolders(of: [value], number, of: entity).contains(where: { $0 != key }) { return true }
        }
        let values = rules[entity].uniques[number].values
        return try keysBelow([value], number, of: entity) { values.condition(row) }.contains { $0 != key }
    }

    package func referrers(
        to keys: [StoredValue], _ reference: ReferenceMap.Incoming
    ) throws -> [RecordChange.Place] {
        let number = rules[reference.entity].lookup(ofReferenceAt: reference.position)
        let found = try keysBelow(keys, number, of: reference.entity) {
            keys.count == 1
                ? .compare(position: reference.position, .equal, keys[0])
                : .among(position: reference.position, keys.sorted())
        }
        let changed = try shownHolders(of: keys, number, of: reference.entity)
        return (found + changed).map { RecordChange.Place(entity: reference.entity, key: $0) }
    }
}
