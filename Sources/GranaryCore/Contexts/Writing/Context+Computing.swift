// Values that are computed from a record are computed of all records first, and then written record by record. So each is computed
// from the record as it was before the call, whatever the order, and every store does the same.

/// What a call changes in an attribute of every record, by position.
enum AttributeChange {
    case assign(Assignment)
    /// The attribute gets the value of an expression of the record.
    case compute(position: Int, TypedExpression)
}

extension Context {
    /// Changes attributes of all records that a request names. Returns how many there are.
    func updateAll(_ request: FetchRequest, changing changes: [AttributeChange]) throws -> Int {
        let assignments = changes.compactMap { change in if case .assign(let value) = change { value } else { nil } }
        guard assignments.count < changes.count else { return try updateAll(request, setting: assignments) }
        return try updateEach(try computed(changes, request), of: request.entity)
    }

    /// The assignments to each record of a request, by key.
    private func computed(
        _ changes: [AttributeChange], _ request: FetchRequest
    ) throws -> [(key: StoredValue, values: [Assignment])] {
        let entity = schema.entities[request.entity]
        let resolver = QueryResolver(schema: schema)
        var columns = [resolver.attribute(entity.keyPosition, of: request.entity)]
        for case .compute(let position, let value) in changes {
            guard position != entity.keyPosition else { throw Context.keyNeverChanges(entity) }
            columns.append(value)
        }
        var request = try writer.ranked(request)
        request.columns = columns
        var computed: [(key: StoredValue, values: [Assignment])] = []
        let rows = try writer.rows(request)
        while let row = try rows.next() {
            var column = 0
            var assignments: [Assignment] = []
            for change in changes {
                switch change {
                case .assign(let assignment): assignments.append(assignment)
                case .compute(let position, _):
                    column += 1
                    let value = try entity.attributes[position].stored(StoredValue(row[column]), in: entity)
                    assignments.append(Assignment(position: position, value: value))
                }
            }
            let key = StoredValue(row[0])
            computed.append((key, try entity.combined(try withVersion(assignments, entity))))
        }
        return computed.sorted { $0.key < $1.key }
    }

    /// Writes assignments to records, all or nothing. The records may exchange unique values. Returns how many there are.
    private func updateEach(_ changes: [(key: StoredValue, values: [Assignment])], of entity: Int) throws -> Int {
        if let overlay = writer as? Overlay {
            do {
                return try overlay.updateEach(changes, of: entity, checkingAtEnd: false)
            } catch let error as GranaryError where error.code == .uniqueness {
                return try overlay.updateEach(changes, of: entity, checkingAtEnd: true)
            }
        }
        let described = schema.entities[entity]
        var rows: [StoredRow] = []
        for (key, values) in changes {
            let row: StoredRow? = try key.withCell { key in
                guard let row = try writer.find(key, in: entity) else { return nil }
                return StoredRow(row)
            }
            if let row { rows.append(try described.applying(values, to: row)) }
        }
        return try exchanging {
            rows.map { (entity, $0) }
        } _: {
            try savepoint {
                for row in rows {
                    try row.withRow { (row: borrowing Row) throws in
                        do {
                            if try writer.update(row, in: entity) { noteWritten() }
                        } catch { throw explained(error, row, entity) }
                    }
                }
            }
            return rows.count
        }
    }
}
