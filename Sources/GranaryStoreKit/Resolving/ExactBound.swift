/// The result of converting a comparison's value to the attribute's storage class.
enum ExactBound {
    case bound(Comparison, StoredValue)
    /// True, or false, for every value except nil.
    case constant(Bool)
}

extension Attribute {
    /// The value in the attribute's storage class; nil if no value of the attribute equals it.
    func exactValue(of value: StoredValue, in entity: Entity) throws -> StoredValue? {
        if value == .null { return isOptional ? .null : nil }
        guard case .bound(.equal, let exact) = try exactBound(comparison: .equal, of: value, in: entity) else {
            return nil
        }
        return exact
    }

    /// Integers and doubles are compared exactly: `x > 2.5` on an integer is `x >= 3`, and 2^53 + 1 is not 2^53.
    func exactBound(comparison: Comparison, of value: StoredValue, in entity: Entity) throws -> ExactBound {
        if case .real(let real) = value, real.isNaN {
            throw CellError.notANumber().about(entity, name)
        }
        switch (type.storage, value) {
        case (.integer, .integer), (.real, .real), (.text, .text), (.bytes, .bytes): return .bound(comparison, value)
        case (.integer, .real(let real)):
            guard type != .bool, !type.isScaled else { break }
            if let exact = Int64(exactly: real) { return .bound(comparison, .integer(exact)) }
            switch comparison {
            case .equal: return .constant(false)
            case .notEqual: return .constant(true)
            case .less, .lessOrEqual:
                if real >= 0x1p63 { return .constant(true) }
                if real < -0x1p63 { return .constant(false) }
                return .bound(.lessOrEqual, .integer(Int64(real.rounded(.down))))
            case .greater, .greaterOrEqual:
                if real >= 0x1p63 { return .constant(false) }
                if real < -0x1p63 { return .constant(true) }
                return .bound(.greaterOrEqual, .integer(Int64(real.rounded(.up))))
            }
        case (.real, .integer(let integer)):
            guard type != .date else { break }
            if let exact = Double(exactly: integer) { return .bound(comparison, .real(exact)) }
            // The double next to the integer; no other double lies between them.
            let near = Double(integer)
            let below = compareExactly(integer, near) < 0 ? near.nextDown : near
            switch comparison {
            case .equal: return .constant(false)
            case .notEqual: return .constant(true)
            case .less, .lessOrEqual: return .bound(.lessOrEqual, .real(below))
            case .greater, .greaterOrEqual: return .bound(.greaterOrEqual, .real(below.nextUp))
            }
        default: break
        }
        throw GranaryError(
            .typeMismatch, "A condition compares \(type) with a value of kind \(value.kind).", entity: entity.name,
            attributes: [name])
    }
}

extension StoredValue {
    /// A number in another storage class; nil if no number there equals it. Any other value stays as it is.
    package func exact(in storage: Cell.Kind) -> StoredValue? {
        switch (storage, self) {
        case (.integer, .real(let real)): Int64(exactly: real).map { .integer($0) }
        case (.real, .integer(let integer)): Double(exactly: integer).map { .real($0) }
        default: self
        }
    }
}

extension AttributeType {
    var isScaled: Bool { if case .scaledDecimal = self { true } else { false } }
}
