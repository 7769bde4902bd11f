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

    /// Whether there is a record with a key. `below` is the state one level up that the call reads.
    func exists(_ key: StoredValue, of entity: Int, over below: any StoreReader) throws -> Bool {
        if let change = try shownChange(key, of: entity) { return change.current != nil }
        return try key.withCell { try below.find($0, in: entity) != nil }
    }

    /// - Throws: `uniqueness` if another record has the values of a unique index. With `old`, indexes in which the record
    ///   stays as it was are not looked at.
    func checkUnique(_ row: StoredRow, _ key: StoredValue, of entity: Int, old: StoredRow? = nil) throws {
        let rules = rules[entity]
        for (number, unique) in rules.uniques.enumerated() {
            if let old, unique.values.agree(old, row) { continue }
            guard let value = unique.values.value(of: row) else { continue }
            let isTaken =
                try lookup(number, of: entity).isHeld(value, besides: key)
                || keysBelow([value], number, of: entity) { unique.values.condition(row) }.contains { $0 != key }
            if isTaken {
                throw GranaryError.notUnique(rules.entity, unique.attributes)
            }
        }
    }

    /// The keys of records that hold one of these values one level up and are not changed here.
    ///
    /// - Parameters:
    ///   - number: Which of the entity's lookups it is about.
    ///   - condition: What names the same records.
    func keysBelow(
        _ values: [StoredValue], _ number: Int, of entity: Int, _ condition: () -> ResolvedCondition
    ) throws -> [StoredValue] {
        try withBelow { below in
            let shown = try shown(over: below).changes
            return try Overlay.keys(values, number, of: entity, rules[entity], below, condition)
                .filter { shown.change($0, of: entity) == nil }
        }
    }

    // A layer knows who holds what without looking at all its changes. What is below the last layer is asked.
    private static func keys(
        _ values: [StoredValue], _ number: Int, of entity: Int, _ rules: EntityRules, _ reader: any StoreReader,
        _ condition: () -> ResolvedCondition
    ) throws -> [StoredValue] {
        let owned = (reader as? OwningReader)?.reader ?? reader
        guard let layer = owned as? OverlayReader, let lookup = layer.lookup(number, of: entity) else {
            return try keys(FetchRequest(entity: entity, condition: condition()), rules, reader)
        }
        let below = try keys(values, number, of: entity, rules, layer.below, condition)
        return below.filter { layer.pending.change($0, of: entity) == nil } + values.flatMap { lookup.keys(of: $0) }
    }

    /// The keys of the records a request names.
    static func keys(_ request: FetchRequest, _ rules: EntityRules, _ reader: any StoreReader) throws -> [StoredValue] {
        var request = request
        let type = rules.entity.attributes[rules.keyPosition].type
        request.columns = [TypedExpression(.attribute(rules.keyPosition), type, isOptional: false)]
        request.isDistinct = false
        let rows = try reader.rows(request)
        var keys: [StoredValue] = []
        while let row = try rows.next() { keys.append(StoredValue(row[0])) }
        return keys
    }
}
