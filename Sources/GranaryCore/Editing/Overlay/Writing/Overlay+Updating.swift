extension Overlay {
    package func update(_ row: borrowing Row, in entity: Int) throws -> Bool {
        try update(row, in: entity, changed: ChangedAttributes())
    }

    /// Replaces a record. `changed` says which attributes were changed by additions.
    func update(_ row: borrowing Row, in entity: Int, changed: ChangedAttributes) throws -> Bool {
        let rules = try rules(of: entity)
        let cells = try rules.cells(of: row)
        return try statement { _ in
            let cell = cells[rules.keyPosition]
            try rules.checkKey(cell)
            let key = StoredValue(cell)
            guard let old = try visible(key, of: entity) else { return false }
            try replace(old, by: rules.record(cells), key, of: entity, changed: changed)
            return true
        }
    }

    /// Replaces the state of an existing record. An equal state changes nothing.
    func replace(
        _ old: StoredRow, by row: StoredRow, _ key: StoredValue, of entity: Int,
        changed: ChangedAttributes = ChangedAttributes()
    ) throws {
        let rules = rules[entity]
        try rules.checkValues(row, limits)
        if isNothing(row, old, key, entity, changed) { return }
        try rules.checkUnique(row, key, replacing: old, among: self)
        try checkOrDefer(row, key, replacing: old, rules)
        set(row, key, of: entity, before: old, changed: changed)
    }

    /// Whether the record stays the same, and no attribute that was changed by additions alone is set to its value.
    private func isNothing(
        _ row: StoredRow, _ old: StoredRow, _ key: StoredValue, _ entity: Int, _ changed: ChangedAttributes
    ) -> Bool {
        guard row.isSame(as: old) else { return false }
        return changed.assigned.isEmpty
            || pending.change(key, of: entity)?.differences.intersects(changed.assigned) != true
    }

    // Records are changed one after the other in the order of their keys. Each is checked against the state at that
    // moment, as in every store.
    package func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int {
        try updateAll(request, setting: values, checkingAtEnd: false)
    }

    /// - Parameter checkingAtEnd: Whether all records are changed before any is checked, so that they may exchange
    ///   unique values.
    func updateAll(_ request: FetchRequest, setting values: [Assignment], checkingAtEnd: Bool) throws -> Int {
        try rules(of: request.entity).check(values, limits)
        let keys = try withReader { try $0.keys(request) }
        guard !values.isEmpty else { return keys.count }
        return try updateEach(keys.sorted().map { ($0, values) }, of: request.entity, checkingAtEnd: checkingAtEnd)
    }

    /// Gives each record values of its own. Returns how many records there are.
    ///
    /// - Parameters:
    ///   - changes: By key, ascending.
    ///   - checkingAtEnd: As for ``updateAll(_:setting:checkingAtEnd:)``.
    func updateEach(
        _ changes: [(key: StoredValue, values: [Assignment])], of entity: Int, checkingAtEnd: Bool
    ) throws -> Int {
        let rules = try rules(of: entity)
        return try statement { _ in
            var written: [(key: StoredValue, old: StoredRow, new: StoredRow)] = []
            // Often all records get the same values.
            var last: [Assignment] = []
            var changed = ChangedAttributes()
            for (key, values) in changes {
                guard let old = try visible(key, of: entity) else { continue }
                if values != last { (last, changed) = (values, ChangedAttributes(values)) }
                let new = try rules.entity.applying(values, to: old)
                guard checkingAtEnd else {
                    try replace(old, by: new, key, of: entity, changed: changed)
                    continue
                }
                try rules.checkValues(new, limits)
                if isNothing(new, old, key, entity, changed) { continue }
                set(new, key, of: entity, before: old, changed: changed)
                written.append((key, old, new))
            }
            for (key, old, new) in written {
                try rules.checkUnique(new, key, replacing: old, among: self)
                try checkOrDefer(new, key, replacing: old, rules)
            }
            return changes.count
        }
    }
}
