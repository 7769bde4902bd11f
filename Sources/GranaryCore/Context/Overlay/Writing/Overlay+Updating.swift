extension Overlay {
    package func update(_ row: borrowing Row, in entity: Int) throws -> Bool {
        let rules = try rules(of: entity)
        let cells = rules.cells(of: row)
        return try statement { _ in
            let cell = cells[rules.keyPosition]
            if cell.isNull { throw rules.missing(rules.keyPosition) }
            try rules.checkKey(cell)
            let key = StoredValue(cell)
            guard let old = try visible(key, of: entity) else { return false }
            try replace(old, by: rules.record(cells), key, of: entity)
            return true
        }
    }

    /// Makes a record that is there another; one that is the same changes nothing.
    func replace(_ old: StoredRow, by row: StoredRow, _ key: StoredValue, of entity: Int) throws {
        try rules[entity].checkValues(row, limits)
        if row.isSame(as: old) { return }
        try checkUnique(row, key, of: entity, old: old)
        try checkOrDefer(row, key, of: entity, old: old)
        set(row, key, of: entity, before: old)
    }

    // Records are changed one after the other in the order of their keys, each checked against the state it finds: a clash
    // at any moment fails the whole call, also where a later record would have made room. Every store does the same.
    package func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int {
        let rules = try rules(of: request.entity)
        for value in values { try check(value, rules) }
        return try statement { _ in
            let keys = try withReader { try Overlay.keys(request, rules, $0) }
            guard !values.isEmpty else { return keys.count }
            for key in keys.sorted() {
                guard let old = try visible(key, of: request.entity) else { continue }
                try replace(old, by: old.setting(values), key, of: request.entity)
            }
            return keys.count
        }
    }

    private func check(_ value: Assignment, _ rules: EntityRules) throws {
        let entity = rules.entity
        guard entity.attributes.indices.contains(value.position) else {
            throw GranaryError.noAttribute(entity, at: value.position)
        }
        guard value.position != rules.keyPosition else {
            throw GranaryError.keyNotSettable(entity)
        }
        try value.value.withCell { try rules.checkValue($0, at: value.position, limits) }
    }
}
