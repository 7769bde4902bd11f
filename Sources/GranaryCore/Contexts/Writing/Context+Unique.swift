import GranaryStoreKit

// Writing by unique values. `upsert` and `insert` go by the key. The varying part comes after the record: the
// attributes by which the record is found (`upsert(_:by:)`, like `sorted(by:)`), and the policy for a record whose key
// or unique values are taken (`insert(_:onConflict:)`, as in SQL).

/// What happens to a record that cannot be inserted because its key, or its values of a unique index, are taken.
public enum InsertConflictPolicy: Sendable, Hashable {
    /// `uniqueness` is thrown, as by ``Context/insert(_:)-(R)``.
    case error
    /// The record is left out, and the existing one stays as it is.
    case ignore
}

extension Context {
    /// Inserts the record, or replaces the one that has the same values of unique attributes.
    ///
    /// ```swift
    /// try tx.upsert(Person(email: "ada@example.org", name: "Ada"), by: \.email)
    /// try tx.upsert(track, by: \.album, \.number)
    /// ```
    ///
    /// An existing record keeps its key, so that references to it stay. It gets all other values of the argument, and
    /// its version is raised. A new record is inserted with the key of the argument. So the key and the version of the
    /// argument count only for a new record.
    ///
    /// If the index ignores case or diacritics, so does this: `ADA@example.org` finds the record of `ada@example.org`,
    /// which gets the new spelling.
    ///
    /// An ``EditContext`` looks only at what it shows. Two contexts may both insert a record with the same unique
    /// values; then the second save throws, as with ``findOrCreate(_:_:_:)->R``.
    ///
    /// Cost: one look-up in the unique index, and one write.
    ///
    /// - Parameters:
    ///   - record: The record with its values.
    ///   - field: The attribute of a unique index, or its first one; or the key.
    ///   - more: The others of the index, in any order.
    /// - Returns: The record as it is stored.
    /// - Throws: `invalidQuery` if no unique index is over exactly these attributes; `required` if one of the values is
    ///   nil, as nil is never unique; and what ``insert(_:)-(R)`` and ``update(_:)-(R)`` throw.
    @discardableResult public func upsert<R: Record, Value: AttributeValue, each More: AttributeValue>(
        _ record: R, by field: KeyPath<R.Fields, Field<R, Value>>,
        _ more: repeat KeyPath<R.Fields, Field<R, each More>>
    ) throws -> R {
        var names = [R.fields[keyPath: field].attributePath]
        for path in repeat each more { names.append(R.fields[keyPath: path].attributePath) }
        let entity = try self.entity(of: R.self)
        let described = schema.entities[entity]
        let row = try upsert(
            try row(of: record, entity), into: entity, by: try described.identity(over: names))
        return try row.withRow { try described.record(from: $0) }
    }

    /// Inserts or replaces records by unique attributes, all or none; see ``Context/upsert(_:by:_:)-(R,_,_)``. If two
    /// have the same values, the last one counts. Existing records may exchange values of other unique attributes.
    ///
    /// - Returns: The records in the order given, as they are stored.
    @discardableResult public func upsert<R: Record, Value: AttributeValue, each More: AttributeValue>(
        _ records: some Sequence<R>, by field: KeyPath<R.Fields, Field<R, Value>>,
        _ more: repeat KeyPath<R.Fields, Field<R, each More>>
    ) throws -> [R] {
        var names = [R.fields[keyPath: field].attributePath]
        for path in repeat each more { names.append(R.fields[keyPath: path].attributePath) }
        let entity = try self.entity(of: R.self)
        let described = schema.entities[entity]
        let identity = try described.identity(over: names)
        let rows = try upsert(
            try records.map { (entity: entity, row: try row(of: $0, entity), identity: identity) })
        return try rows.map { row in try row.withRow { try described.record(from: $0) } }
    }

    /// Adds a record, unless its key or the values of a unique index are taken and the policy is to ignore that.
    ///
    /// ```swift
    /// try tx.insert(tags, onConflict: .ignore)
    /// ```
    ///
    /// Every other error is thrown, with both policies.
    ///
    /// - Returns: The record with its key; nil if it was left out.
    @inlinable @discardableResult public func insert<R: Record>(
        _ record: R, onConflict policy: InsertConflictPolicy
    ) throws -> R? {
        do {
            return try insert(record)
        } catch let error as GranaryError where policy == .ignore && error.code == .uniqueness {
            return nil
        }
    }

    /// Adds records, all or none, except those that the policy leaves out. A record is left out because of an existing
    /// record, or because of an earlier one in the same call.
    ///
    /// - Returns: The records that were inserted, in the order given.
    @inlinable @discardableResult public func insert<R: Record>(
        _ records: some Sequence<R>, onConflict policy: InsertConflictPolicy
    ) throws -> [R] {
        try together(R.self) { try records.compactMap { try insert($0, onConflict: policy) } }
    }
}

// The same by names.
extension Context {
    /// Inserts the record, or replaces the one that has the same values of unique attributes, and returns it as it is
    /// stored; see ``Context/upsert(_:by:_:)-(R,_,_)``.
    @discardableResult public func upsert(
        _ record: DynamicRecord, by name: String, _ more: String...
    ) throws -> DynamicRecord {
        let (entity, row, identity) = try identified(record, [name] + more)
        return DynamicRecord(record.entity, try upsert(row, into: entity, by: identity).values)
    }

    /// Inserts or replaces records by unique attributes, all or none.
    @discardableResult public func upsert(
        _ records: some Sequence<DynamicRecord>, by name: String, _ more: String...
    ) throws -> [DynamicRecord] {
        let records = Array(records)
        let rows = try upsert(try records.map { try identified($0, [name] + more) })
        return zip(records, rows).map { DynamicRecord($0.entity, $1.values) }
    }

    /// Adds a record, unless its key or the values of a unique index are taken and the policy is to ignore that.
    /// Returns nil if it was left out.
    @discardableResult public func insert(
        _ record: DynamicRecord, onConflict policy: InsertConflictPolicy
    ) throws -> DynamicRecord? {
        do {
            return try insert(record)
        } catch let error as GranaryError where policy == .ignore && error.code == .uniqueness {
            return nil
        }
    }

    /// Adds records, all or none, except those that the policy leaves out. Returns the inserted records.
    @discardableResult public func insert(
        _ records: some Sequence<DynamicRecord>, onConflict policy: InsertConflictPolicy
    ) throws -> [DynamicRecord] {
        try deferringReferences { try records.compactMap { try insert($0, onConflict: policy) } }
    }

    private func identified(
        _ record: DynamicRecord, _ names: [String]
    ) throws -> (entity: Int, row: StoredRow, identity: [Int]) {
        let entity = try position(of: record)
        return (entity, StoredRow(record.values), try schema.entities[entity].identity(over: names))
    }
}

// Shared by the typed forms and the forms by name.
extension Context {
    /// Writes rows, all or none. They may exchange values of unique indexes other than the one they are found by.
    private func upsert(_ rows: [(entity: Int, row: StoredRow, identity: [Int])]) throws -> [StoredRow] {
        try inOneState {
            try exchanging {
                try rows.map { entity, row, identity in
                    guard let found = try row.found(by: identity, of: entity, in: self) else { return (entity, row) }
                    return (entity, schema.entities[entity].withKey(of: found, row))
                }
            } _: {
                try deferringReferences { try rows.map { try upsert($0.row, into: $0.entity, by: $0.identity) } }
            }
        }
    }

    /// Writes a row. Returns it as it is stored.
    private func upsert(_ row: StoredRow, into entity: Int, by identity: [Int]) throws -> StoredRow {
        let described = schema.entities[entity]
        return try inOneState {
            let key: StoredValue
            if identity == [described.keyPosition] {
                key = try upsert(row.values, into: entity)
            } else if let found = try row.found(by: identity, of: entity, in: self) {
                key = found.value(at: described.keyPosition)
                _ = try update(described.withVersion(of: found, described.withKey(of: found, row)).values, in: entity)
            } else {
                key = try insert(row.values, into: entity)
            }
            let written = row.setting([Assignment(position: described.keyPosition, value: key)])
            guard described.version != nil else { return written }
            return try written.found(by: [described.keyPosition], of: entity, in: self) ?? written
        }
    }
}

extension StoredRow {
    /// The stored record that has this row's values of the identity attributes.
    ///
    /// - Throws: `required` if one of the values is nil.
    fileprivate func found(by identity: [Int], of entity: Int, in context: ReadContext) throws -> StoredRow? {
        let described = context.schema.entities[entity]
        let folding = described.folding(of: identity)
        let conditions = try identity.map { position in
            guard !self[position].isNull else {
                let name = described.attributes[position].name
                throw GranaryError(
                    .required,
                    "The record has no \(name), by which it is to be found. Give it one, or use insert.",
                    entity: described.name, attributes: [name])
            }
            try described.attributes[position].check(value(at: position), in: described)
            guard !folding.isEmpty, case .text(let utf8) = value(at: position) else {
                return ResolvedCondition.compare(position: position, .equal, value(at: position))
            }
            return .text(.attribute(position), TextMatch(.equal, utf8: utf8, folding), isNegated: false)
        }
        let condition = conditions.count == 1 ? conditions[0] : .all(conditions)
        var found: StoredRow?
        let cursor = try context.rows(FetchRequest(entity: entity, condition: condition))
        while let row = try cursor.next() { found = StoredRow(row) }
        return found
    }
}

extension Entity {
    /// A row with the key that another one has.
    fileprivate func withKey(of other: StoredRow, _ row: StoredRow) -> StoredRow {
        row.setting([Assignment(position: keyPosition, value: other.value(at: keyPosition))])
    }
}
