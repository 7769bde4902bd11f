import GranaryCore

/// The facts about an attribute that are needed to take a plain value for it.
struct Lane {
    enum Kind {
        case integer, real, text, other
    }

    /// Whether a plain value only needs to be converted.
    var isOpen = false
    /// Whether null is a plain value that clears it.
    var isOptional = false
    /// The kind of values that need no conversion for this attribute.
    var kind = Kind.other
    var least = Int64.min
    var greatest = Int64.max

    init(_ attribute: Attribute, _ mapping: ImportMapping) {
        guard attribute.reference == nil, attribute.type != .json, mapping.absence.isEmpty,
            mapping.transformers[attribute.name] == nil
        else { return }
        isOpen = true
        isOptional = attribute.isOptional && mapping.nulls[attribute.name] == nil
        switch attribute.type {
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64:
            kind = .integer
            if let range = attribute.type.integerRange { (least, greatest) = (range.lowerBound, range.upperBound) }
        case .double: kind = .real
        case .string: kind = .text
        default: break
        }
    }
}
