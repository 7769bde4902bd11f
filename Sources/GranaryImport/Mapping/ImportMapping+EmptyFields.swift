import GranaryCore

// A table without quotes has one empty field for nil and for an empty text. The field is nil wherever an attribute can be nil. A
// required text cannot, so there the field is the empty text, and exports write it so. What tells which record an object is must
// not be empty by accident: there an empty field stays a missing value, and an export of an empty text fails.

extension ImportMapping {
    /// Whether an empty field of a table without quotes is the empty text for an attribute.
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
