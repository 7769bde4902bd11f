// The verbs without types, by positions of ``ReadContext/schema``: every other form by names uses them.
extension Context {
    /// Adds a record of an entity by its stored values, in the order of the attributes. Returns its key, given by the
    /// store where it assigns keys and the value is 0.
    @discardableResult public func insert(_ values: [StoredValue], into entity: Int) throws -> StoredValue {
        let key = try writing(values, entity) { row, key in
            try writer.insert(row, into: entity).map { .integer($0) } ?? key
        }
        if hasLists { noteUnplaced(key, of: entity) }
        return key
    }

    /// Replaces the record with the same key. Returns false, having done nothing, if no record has it.
    public func update(_ values: [StoredValue], in entity: Int) throws -> Bool {
        try writing(values, entity, replaces: true) { row, _ in try writer.update(row, in: entity) }
    }

    /// Inserts or replaces the record. Returns its key.
    @discardableResult public func upsert(_ values: [StoredValue], into entity: Int) throws -> StoredValue {
        try writing(values, entity, replaces: true) { row, key in
            try writer.upsert(row, into: entity).map { .integer($0) } ?? key
        }
    }

    /// Deletes the record with a key. Returns whether a record had it.
    @discardableResult public func delete(_ key: StoredValue, from entity: Int) throws -> Bool {
        _ = try described(entity)
        return try deleting({ [key] }, from: entity) {
            let existed = try key.withCell { try writer.delete($0, from: entity) }
            if existed { noteWritten() }
            return existed
        }
    }

    /// Sets attributes of all records of a request. Returns the number of records.
    @discardableResult public func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int {
        let entity = try described(request.entity)
        let request = try writer.ranked(request)
        for value in values where value.position == entity.keyPosition { throw Context.keyNeverChanges(entity) }
        let values = try entity.combined(try withVersion(values, entity))
        if values.isEmpty { return try writer.count(request) }
        do {
            return try noteWritten(writer.updateAll(request, setting: values))
        } catch let error as GranaryError where error.code == .uniqueness {
            return try noteWritten(updateAllWithPlaceholders(request, values, entity))
        }
    }

    /// Deletes all records of a request, following the delete rules. Returns how many were deleted.
    @discardableResult public func deleteAll(_ request: FetchRequest) throws -> Int {
        _ = try described(request.entity)
        let request = try writer.ranked(request)
        return try deleting({ try writer.keys(request) }, from: request.entity) {
            try noteWritten(writer.deleteAll(request))
        }
    }

    /// Runs a deletion. It is undone if a record is not valid once its reference has become nil. The error of a denied
    /// deletion names the record that refers.
    ///
    /// - Parameter keys: The keys of the records to be deleted. Called only if the keys are needed.
    func deleting<T>(
        _ keys: () throws -> [StoredValue], from entity: Int, _ body: () throws -> T
    ) throws -> T {
        func explaining() throws -> T {
            do { return try body() } catch { throw explained(error, deleting: keys, from: entity) }
        }
        guard let nullified else { return try explaining() }
        return try nullified.deleting(keys, from: entity, in: self, explaining)
    }

    static func keyNeverChanges(_ entity: Entity) -> GranaryError {
        GranaryError(
            .invalidQuery, "A key never changes. Delete the record and insert another.", about: entity,
            [entity.key])
    }

    private func described(_ entity: Int) throws -> Entity {
        try checkOpen()
        guard schema.entities.indices.contains(entity) else {
            throw GranaryError.noEntity(at: entity)
        }
        return schema.entities[entity]
    }

    private func writing<T>(
        _ values: [StoredValue], _ entity: Int, replaces: Bool = false,
        _ write: (borrowing Row, StoredValue) throws -> T
    ) throws -> T {
        let described = try described(entity)
        guard values.count == described.attributes.count else {
            throw GranaryError.cellCount(described, values.count)
        }
        guard !isEncoding else { throw writesWhileEncoding(entity) }
        rowWriter.pointee.reset(count: values.count)
        for (position, value) in values.enumerated() {
            try described.attributes[position].check(value, in: described)
            try value.encode(into: &rowWriter.pointee, at: position)
        }
        if replaces && hasVersions { try takeVersion(entity) }
        return try rowWriter.pointee.withRow { row in
            do {
                let result = try write(row, values[described.keyPosition])
                if watch != nil, (result as? Bool) != false { noteWritten() }
                return result
            } catch {
                throw explained(error, row, entity)
            }
        }
    }
}
