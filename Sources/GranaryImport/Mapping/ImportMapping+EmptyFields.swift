import GranaryCore

// A table without quotes has the same empty field for nil and for an empty text. If an attribute is optional, the field
// means nil. If a text or data attribute is required, the field means the empty value, and exports write it so. But a
// value that identifies the record must not be empty by accident: for it an empty field means a missing value, and an
// export of an empty one fails.

extension ImportMapping {
    /// Whether an empty field of a table without quotes means the empty value of an attribute.
    func takesEmptyField(_ position: Int, of entity: Entity) -> Bool {
        let attribute = entity.attributes[position]
        guard !attribute.isOptional, attribute.reference == nil, position != entity.keyPosition,
            nulls[attribute.name] == nil, transformers[attribute.name] == nil
        else { return false }
        switch attribute.type {
        case .string, .data: return !entity.indexes.contains { $0.isUnique && $0.attributes.contains(attribute.name) }
        default: return false
        }
    }
}
