// A computed value is stored in an attribute of its kind: an integer in an integer of any width, a number that is exact in a
// decimal, any number in a double, text in text. The value itself is checked when it is known.

extension QueryResolver {
    /// An expression of a record whose value an attribute of the record gets.
    ///
    /// - Throws: `typeMismatch` if the attribute does not store values of the expression's type.
    package func value(_ expression: AnyExpression, for position: Int, of entity: Int) throws -> TypedExpression {
        let attribute = self.entity(entity).attributes[position]
        var value = try self.expression(expression.root, of: entity, expecting: attribute.type)
        if value.type == attribute.type { return value }
        if value.type.isPlainInteger, attribute.type.isPlainInteger { return value }
        if value.type.isExactNumber, attribute.type.isScaled || attribute.type == .decimal { return value.asDecimal }
        if value.type.isPlainNumber, [.double, .float].contains(attribute.type) {
            if value.type.isPlainInteger { value.expression = .function(.real, value.expression) }
            return value
        }
        if value.type.storage == .text, attribute.type == .string { return value }
        throw GranaryError(
            .typeMismatch,
            "\(self.entity(entity).path(of: attribute.name)) holds \(attribute.type), and the expression gives \(value.type). Give an expression of the attribute's type.",
            about: self.entity(entity), [attribute.name])
    }
}

extension Attribute {
    /// A computed value in the form in which the attribute stores it.
    ///
    /// - Throws: `range` for a number that the attribute cannot hold, `required` for nil.
    package func stored(_ value: StoredValue, in entity: Entity) throws -> StoredValue {
        var stored = value
        if case .scaledDecimal(let places) = type, case .bytes(let bytes) = value {
            let number = try bytes.withUnsafeBytes { try DecimalNumber(encoded: $0) }
            guard let integer = number.integer(places: places) else {
                throw GranaryError(
                    .range,
                    "The number \(number) does not fit \(entity.path(of: name)), which has \(places) places. Round it, or give the attribute more places.",
                    about: entity, [name])
            }
            stored = .integer(integer)
        }
        if type == .float, case .real(let double) = value { stored = .real(Double(Float(double))) }
        try check(stored, in: entity)
        return stored
    }
}
