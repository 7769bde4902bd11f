extension StoreReader {
    /// A value of the record with a key; nil if the record does not exist.
    func value(at position: Int, ofKey key: Cell, in entity: Int) throws -> StoredValue? {
        if key.isNull { return nil }
        guard let row = try find(key, in: entity) else { return nil }
        return StoredValue(row[position])
    }

    /// Values of the records with a given value at another position.
    func values(
        at position: Int, where other: Int, equals value: StoredValue, in entity: Int, limit: Int
    ) throws -> [StoredValue] {
        let rows = try rows(
            FetchRequest(entity: entity, condition: .compare(position: other, .equal, value), limit: limit))
        defer { withExtendedLifetime(rows) {} }
        var values: [StoredValue] = []
        while let row = try rows.next() { values.append(StoredValue(row[position])) }
        return values
    }
}
