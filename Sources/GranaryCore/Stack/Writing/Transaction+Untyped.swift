extension Transaction {
    @discardableResult public func insert(_ values: [StoredValue], into entity: Int) throws -> StoredValue {
        try writing(values, entity) { row, key in try writer.insert(row, into: entity).map { .integer($0) } ?? key }
    }

    public func update(_ values: [StoredValue], in entity: Int) throws -> Bool {
        try writing(values, entity, replaces: true) { row, _ in try writer.update(row, in: entity) }
    }

    @discardableResult public func upsert(_ values: [StoredValue], into entity: Int) throws -> StoredValue {
        try writing(values, entity, replaces: true) { row, key in
            try writer.upsert(row, into: entity).map { .integer($0) } ?? key
        }
    }

    @discardableResult public func delete(_ key: StoredValue, from entity: Int) throws -> Bool {
        _ = try described(entity)
        return try key.withCell { try writer.delete($0, from: entity) }
    }

    @discardableResult public func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int {
        let entity = try described(request.entity)
        for value in values where value.position == entity.keyPosition { throw Transaction.keyNeverChanges(entity) }
        let values = try entity.combined(try withVersion(values, entity))
        if values.isEmpty { return try writer.count(request) }
        do {
            return try writer.updateAll(request, setting: values)
        } catch let error as GranaryError where error.code == .uniqueness && !(writer is Overlay) {
            return try updateAllParked(request, values, entity)
        }
    }

    @discardableResult public func deleteAll(_ request: FetchRequest) throws -> Int {
        _ = try described(request.entity)
        return try writer.deleteAll(request)
    }

    static func keyNeverChanges(_ entity: Entity) -> GranaryError {
        GranaryError(
            .invalidQuery, "A key never changes. Delete the record and insert another.", entity: entity.name,
            attributes: [entity.key])
    }

    private func described(_ entity: Int) throws -> Entity {
        try session.checkOpen()
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
            throw GranaryError(
                .typeMismatch,
                "A record of \(described.name) has \(described.attributes.count) values, not \(values.count).",
                entity: described.name)
        }
        guard !session.isEncoding else { throw writesWhileEncoding(entity) }
        rowWriter.pointee.reset(count: values.count)
        for (position, value) in values.enumerated() {
            try described.attributes[position].check(value, in: described)
            try value.encode(into: &rowWriter.pointee, at: position)
        }
        if replaces && hasVersions { try takeVersion(entity) }
        return try rowWriter.pointee.withRow { try write($0, values[described.keyPosition]) }
    }
}

extension Attribute {
    /// Refuses a value that the attribute cannot hold: what a record's own encoding could not have made.
    func check(_ value: StoredValue, in entity: Entity) throws {
        func fail(_ code: GranaryError.Code, _ message: String) -> GranaryError {
            GranaryError(code, message, entity: entity.name, attributes: [name])
        }
        if value == .null {
            guard isOptional else { throw fail(.required, "\(entity.name).\(name) is required. Give it a value.") }
            return
        }
        guard value.kind == type.storage else {
            throw fail(.typeMismatch, "\(entity.name).\(name) holds \(type), not a value of kind \(value.kind).")
        }
        switch value {
        case .integer(let integer):
            if let range = type.integerRange, !range.contains(integer) {
                throw CellError.outOfRange(type).about(entity.name, name)
            }
        case .real(let real):
            if real.isNaN { throw CellError.notANumber().about(entity.name, name) }
            if type == .date && !real.isFinite { throw CellError.outOfRange(type).about(entity.name, name) }
        case .text(let utf8):
            guard (try? UTF8Span(validating: utf8.span)) != nil else {
                throw fail(.typeMismatch, "\(entity.name).\(name) holds text, which is UTF-8.")
            }
        case .bytes(let bytes):
            if type == .uuid, bytes.count != 16 {
                throw fail(.typeMismatch, "\(entity.name).\(name) holds a UUID, which has 16 bytes.")
            }
            if type == .decimal, bytes.withUnsafeBytes({ DecimalEncoding.decode($0) }) == nil {
                throw fail(.typeMismatch, "\(entity.name).\(name) holds a decimal in its stored form.")
            }
        case .null: break
        }
    }
}
