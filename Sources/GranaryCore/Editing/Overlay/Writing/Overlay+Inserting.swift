extension Overlay {
    package func insert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        try insert(row, into: entity, changed: ChangedAttributes())
    }

    /// Inserts a record. `changed` says which attributes got their values after the record was inserted.
    func insert(_ row: borrowing Row, into entity: Int, changed: ChangedAttributes) throws -> Int64? {
        let rules = try rules(of: entity)
        let cells = try rules.cells(of: row)
        return try statement { try insert(cells, rules, entity, $0, changed) }
    }

    package func upsert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        let rules = try rules(of: entity)
        let cells = try rules.cells(of: row)
        return try statement { below in
            let cell = cells[rules.keyPosition]
            if rules.needsKey(cell) { return try insert(cells, rules, entity, below) }
            try rules.checkKey(cell)
            let key = StoredValue(cell)
            guard let old = try visible(key, of: entity) else { return try insert(cells, rules, entity, below) }
            try replace(old, by: rules.record(cells), key, of: entity)
            return nil
        }
    }

    private func insert(
        _ cells: ContiguousArray<Cell>, _ rules: EntityRules, _ entity: Int, _ below: any StoreReader,
        _ changed: ChangedAttributes = ChangedAttributes()
    ) throws -> Int64? {
        var cells = cells
        let position = rules.keyPosition
        let made = rules.needsKey(cells[position]) ? try makeKey(rules, entity, below) : nil
        if let made { cells[position] = .integer(made) }
        let row = rules.record(cells)
        try rules.checkValues(row, limits)
        let key = row.value(at: position)
        if try isTaken(key, of: entity, below) { throw GranaryError.notUnique(rules.entity, [rules.entity.key]) }
        try rules.checkUnique(row, key, replacing: nil, among: self)
        try checkOrDefer(row, key, replacing: nil, rules)
        set(row, key, of: entity, before: nil, changed: changed)
        if made == nil, rules.assignsKeys, case .integer(let given) = key, given > takenKeys[entity] ?? 0 {
            takenKeys[entity] = given
        }
        return made
    }

    /// Whether a record with the key of a new one exists.
    private func isTaken(_ key: StoredValue, of entity: Int, _ below: any StoreReader) throws -> Bool {
        if let change = try shownChange(key, of: entity) { return change.current != nil }
        let isBeyond = try greatestKeys.isBeyond(
            key, of: entity, held?.state, coordinator.generation, below)
        return try !isBeyond && key.withCell { try below.find($0, in: entity) != nil }
    }

    /// A key greater than any that exists, or existed, here and in other contexts.
    private func makeKey(_ rules: EntityRules, _ entity: Int, _ below: any StoreReader) throws -> Int64 {
        let last = max(try below.lastAssignedKey(of: entity), takenKeys[entity] ?? 0)
        guard let key = coordinator.reserveKey(of: entity, after: last) else {
            throw GranaryError.noKeyLeft(rules.entity)
        }
        if !savepoints.isEmpty { reservedKeys.add(key, of: entity) }
        return key
    }
}
