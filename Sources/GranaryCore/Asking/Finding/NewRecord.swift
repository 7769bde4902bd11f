import GranaryPlatform

/// The stored values of a new record, taken from the equalities of a condition.
///
/// The condition is first brought into the form that a store gets: names are looked up, values in text are converted to
/// the types of their attributes, and negations are removed. Then `==`, a list of one value, `NOT ... !=` and text
/// forms are the same.
struct NewRecord {
    private(set) var values: [StoredValue]
    /// The attributes that the condition names.
    private(set) var given: Set<Int> = []

    init(_ position: Int, _ condition: AnyCondition?, in schema: Schema) throws {
        let entity = schema.entities[position]
        values = DynamicRecord(entity).values
        for (position, value) in try NewRecord.equalities(condition, of: position, in: schema) {
            let attribute = entity.attributes[position]
            try attribute.check(value, in: entity)
            guard given.insert(position).inserted || values[position] == value else {
                throw GranaryError(
                    .invalidQuery,
                    "The condition says of \(attribute.name) that it equals two values, which no record made from it does. Name one.",
                    entity: entity.name, attributes: [attribute.name])
            }
            values[position] = value
        }
        let key = entity.keyPosition
        if !given.contains(key), entity.attributes[key].type == .uuid {
            values[key] = try StoredValue(encoding: UUID.timeOrdered())
        }
        for (position, attribute) in entity.attributes.enumerated()
        where values[position] == .null && !attribute.isOptional {
            throw GranaryError(
                .required,
                "A new \(entity.name) needs a value for \(attribute.name). Name it in the condition, or pass a closure that makes the record.",
                entity: entity.name, attributes: [attribute.name])
        }
    }

    /// The equalities of the condition: the position of each attribute with its value.
    private static func equalities(
        _ condition: AnyCondition?, of position: Int, in schema: Schema
    ) throws -> [(position: Int, value: StoredValue)] {
        guard let condition, condition.root != .always(true) else { return [] }
        let resolved = try QueryResolver(schema: schema).condition(condition.root, of: position)
        return try resolved.conjuncts.map { term in
            switch term {
            case .compare(let position, .equal, let value): return (position, value)
            case .among(let position, let values) where values.count == 1: return (position, values[0])
            case .always(false):
                throw GranaryError(
                    .invalidQuery, "The condition holds of no record, so none is made from it.",
                    entity: schema.entities[position].name)
            default:
                throw GranaryError(
                    .invalidQuery,
                    "A record is made from a condition that says what attributes equal, joined by &&. Pass a closure that makes the record.",
                    entity: schema.entities[position].name)
            }
        }
    }
}

extension Context {
    /// Adds a record with the values that a condition says its attributes equal. Returns its key. If a record exists
    /// whose values differ only in what a unique index ignores, such as case, returns the key of that record.
    func insertNew(_ entity: Int, _ condition: AnyCondition?) throws -> StoredValue {
        let new = try NewRecord(entity, condition, in: schema)
        return try key(ofSame: new, entity) ?? insert(new.values, into: entity)
    }

    private func key(ofSame new: NewRecord, _ entity: Int) throws -> StoredValue? {
        let described = schema.entities[entity]
        let row = StoredRow(new.values)
        for index in described.indexes where index.isUnique && !index.folding.isEmpty {
            let unique = IndexedValues(index, of: described)
            guard new.given.isSuperset(of: unique.positions), unique.value(of: row) != nil else { continue }
            let cursor = try rows(FetchRequest(entity: entity, condition: unique.condition(row)))
            let rest = new.given.subtracting(unique.positions)
            guard let found = try cursor.firstRow({ StoredRow($0) }), rest.allSatisfy({ areSame(found[$0], row[$0]) })
            else { continue }
            return found.value(at: described.keyPosition)
        }
        return nil
    }
}
