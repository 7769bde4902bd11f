// A reference or a link names a record by its key. If another attribute becomes the key, the value alone does not
// identify the record: the new key of one record may be the old key of another. So the record is looked up in the old
// store.

/// How the key by which a reference or a link names a record is converted.
enum TargetRule {
    /// The record keeps its key, which may get another type.
    case converted(ValueConversion)
    /// A stored attribute of the record is its new key.
    case followed(AttributePlace, ValueConversion)
    /// The new key of the records of an entity is not stored, so the value of one record cannot be found from another.
    case unknown(Entity)

    /// Nil if the two types have no value in common.
    ///
    /// - Parameters:
    ///   - target: The entity of the record, by its new name.
    ///   - old: The type of the stored reference.
    ///   - new: The type of the new reference.
    init?(
        _ target: String, from old: AttributeType, to new: AttributeType, _ match: SchemaMatch,
        _ migration: SchemaMigration
    ) {
        var type = old
        var place: AttributePlace?
        if let number = migration.target.entities.firstIndex(where: { $0.name == target }),
            let position = match.entities[number]
        {
            let (entity, stored) = (migration.target.entities[number], migration.stored.entities[position])
            guard let key = match.attributes[number][entity.keyPosition] else {
                self = .unknown(entity)
                return
            }
            if key != stored.keyPosition {
                place = AttributePlace(entity: position, attribute: key)
                type = stored.attributes[key].type
            }
        }
        guard let rule = ValueConversion(from: type, to: new) else { return nil }
        self = place.map { .followed($0, rule) } ?? .converted(rule)
    }

    /// The new key of the record that has an old one; nil if no record has it, or if the new type does not have the
    /// value.
    func value(_ key: Cell, _ source: any StoreReader) throws -> StoredValue? {
        switch self {
        case .converted(let rule): rule.converted(key)
        case .followed(let place, let rule):
            try source.value(at: place.attribute, ofKey: key, in: place.entity)?.withCell(rule.converted)
        case .unknown: nil
        }
    }
}
