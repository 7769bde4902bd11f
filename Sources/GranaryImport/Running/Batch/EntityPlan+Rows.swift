import GranaryCore

// What a row of the batch says of its record.

extension EntityPlan {
    /// The values of an identity; nil if one of them is not given, or is null.
    func values(of positions: [Int], _ row: Int) -> [StoredValue]? {
        var values: [StoredValue] = []
        values.reserveCapacity(positions.count)
        for position in positions {
            guard let value = value(at: position, row) else { return nil }
            values.append(value)
        }
        return compared(values, by: positions)
    }

    /// A value that may tell which record a row is; nil if it is not given, or is null.
    private func value(at position: Int, _ row: Int) -> StoredValue? {
        guard stage.isGiven(row, position) else { return nil }
        let cell = stage[row, position]
        guard !cell.isNull else { return nil }
        // A key that the store assigns is 0 until it is.
        if position == entity.keyPosition, entity.keyGeneration == .assigned, cell.integerValue == 0 { return nil }
        return StoredValue(cell)
    }

    /// The key that a row was given.
    func key(of row: Int) -> StoredValue? { values(of: keyPositions, row)?.first }

    /// What names the record of a row, so that it can be found later: its key, or the values of the identity by which it is
    /// looked up.
    func name(of row: Int) -> NamedRecord? {
        let row = merged(row)
        if let key = rows[row].key { return NamedRecord(positions: keyPositions, values: [key]) }
        guard let identity = rows[row].identity, let values = values(of: identities[identity], row) else { return nil }
        return NamedRecord(positions: identities[identity], values: values)
    }

    /// The row of the batch whose record has a name.
    func row(of name: NamedRecord) -> Int? {
        guard let identity = identities.firstIndex(of: name.positions) else { return nil }
        return tables[identity][name.values].map(merged)
    }

    /// Whether the source gives the key 0 where the store assigns keys: it stands for a key that is not assigned yet.
    func hasZeroKey(_ row: Int) -> Bool {
        guard entity.keyGeneration == .assigned, stage.isGiven(row, entity.keyPosition) else { return false }
        let cell = stage[row, entity.keyPosition]
        return cell.kind == .integer && cell.integerValue == 0
    }

    /// The key of the importer's target as the key's attribute has it: a text "7" is 7.
    ///
    /// - Throws: `typeMismatch` if no record can have it.
    func key(_ given: StoredValue) throws -> StoredValue {
        let position = entity.keyPosition
        if given.kind == entity.attributes[position].type.storage { return given }
        let row = stage.addRow()
        defer { stage.removeLast() }
        let refused =
            switch given {
            case .text(let utf8):
                utf8.withUnsafeBytes { converters[position].convert(Scalar.text($0), into: stage, row, position) }
            case .integer(let number): converters[position].convert(Scalar.integer(number), into: stage, row, position)
            case .real(let number): converters[position].convert(Scalar.real(number), into: stage, row, position)
            case .null, .bytes: converters[position].convert(Scalar.null, into: stage, row, position)
            }
        guard refused == nil, !stage[row, position].isNull else { throw GranaryError.keyMisfit(entity) }
        return StoredValue(stage[row, position])
    }

    // MARK: Policies

    /// Whether the object of a row is left out because of the record that exists, or does not.
    func isSkipped(_ row: Int) -> Bool {
        switch policy {
        case .insertOnly: if rows[row].existing != nil { return true }
        case .updateOnly: if rows[row].existing == nil { return true }
        case .upsert, .mirror: break
        }
        guard let modification, let existing = rows[row].existing, stage.isGiven(row, modification) else {
            return false
        }
        return EntityPlan.isNotNewer(stage[row, modification], existing[modification])
    }

    /// Whether the record of a row may decide that its object is left out.
    var mayBeSkipped: Bool {
        switch policy {
        case .insertOnly, .updateOnly: true
        case .upsert, .mirror: modification != nil
        }
    }

    /// Whether the value that tells how new an object is does not come after another one.
    static func isNotNewer(_ new: Cell, _ old: Cell) -> Bool {
        if new.isNull || old.isNull { return false }
        guard new.kind == .text, old.kind == .text else { return compare(new, old) <= 0 }
        // Texts have an order only if they are dates.
        func seconds(_ cell: Cell) -> Double? {
            DateText.seconds(of: String(decoding: cell.rawBytes, as: UTF8.self))
        }
        guard let (new, old) = seconds(new).flatMap({ new in seconds(old).map { (new, $0) } }) else {
            return areSame(new, old)
        }
        return new <= old
    }

    /// Whether the object of a row is to be imported, or a record is to be made for the name that it is.
    func isWanted(_ row: Int) -> Bool {
        guard rows[row].mergedInto == nil else { return false }
        return rows[row].isNamedOnly ? rows[row].makesStub : !isSkipped(row)
    }
}
