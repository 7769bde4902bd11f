import GranaryPlatform

extension AnyExpression.Literal {
    /// The type of a literal if nothing else decides it.
    var naturalType: AttributeType {
        switch self {
        case .null: .int64
        case .bool: .bool
        case .number(let text): Int64(text) == nil ? .double : .int64
        case .string: .string
        case .date: .date
        }
    }
}

extension StoredValue {
    /// The value beside an expression of a type: beside a Float a double becomes the nearest Float, as in the typed
    /// form, unless it is greater than every Float.
    func nearest(in type: AttributeType) -> StoredValue {
        guard type == .float, case .real(let double) = self else { return self }
        let float = Double(Float(double))
        return float.isInfinite ? self : .real(float)
    }
}

extension QueryResolver {
    /// A literal as a value beside an attribute of a type. An integer attribute may be compared with 4.5, and vice
    /// versa.
    ///
    /// - Throws: `typeMismatch` if the literal is not such a value.
    func value(_ literal: AnyExpression.Literal, as type: AttributeType, _ entity: Int) throws -> StoredValue {
        switch literal {
        case .null: return .null
        case .bool(let value) where type == .bool: return .integer(value ? 1 : 0)
        case .number(let text): if let value = try QueryResolver.number(text, as: type) { return value }
        case .string(let text): if let value = try QueryResolver.string(text, as: type) { return value }
        case .date(let seconds) where type == .date: return .real(seconds)
        case .bool, .date: break
        }
        throw mismatch("\(literal.description) is not a value of \(type).", entity)
    }

    fileprivate static func number(_ text: String, as type: AttributeType) throws -> StoredValue? {
        switch type {
        case .decimal: return try decimal(text).map { .bytes(try DecimalEncoding.encode($0)) }
        case .scaledDecimal(let places): return decimal(text)?.scaled(places: places).map { .integer($0) }
        case .bool: return text == "0" ? .integer(0) : text == "1" ? .integer(1) : nil
        case .date: return Double(text).map { .real($0) }
        case .float:
            guard let double = Double(text) else { return nil }
            let float = Float(text).map(Double.init) ?? double
            return .real(float.isInfinite ? double : float)
        case let type where type.isPlainNumber:
            if let integer = Int64(text), type.storage == .integer { return .integer(integer) }
            return Double(text).map { .real($0) }
        default: return nil
        }
    }

    fileprivate static func string(_ text: String, as type: AttributeType) throws -> StoredValue? {
        switch type {
        case .string, .url, .json: return .string(text)
        case .uuid: return UUID(uuidString: text).map { uuid in withUnsafeBytes(of: uuid.uuid) { .bytes([UInt8]($0)) } }
        case .date: return DateText.seconds(of: text).map { .real($0) }
        case .data: return Data(base64Encoded: text).map { .bytes([UInt8]($0)) }
        case .decimal, .scaledDecimal: return try number(text, as: type)
        default: return nil
        }
    }

    /// A number from its whole text. `Decimal` itself would read only as far as it understands.
    private static func decimal(_ text: String) -> Decimal? {
        let isNumber = text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) } && Double(text) != nil
        return isNumber ? Decimal(string: text) : nil
    }
}

extension Attribute {
    /// The attribute's value for a text, by the rules for values in the text of a query: a text and a URL unchanged,
    /// `true` or `false`, a number, a day and a time, a UUID, data in base64. A date outside the years 0 to 9999 is the
    /// number of seconds since 1970 that verbs print for it.
    ///
    /// - Throws: `typeMismatch`, `range` if the text is not such a value.
    package func value(fromText text: String, in entity: Entity) throws -> StoredValue {
        let value: StoredValue? =
            switch type {
            case .bool: text == "true" ? .integer(1) : text == "false" ? .integer(0) : nil
            case .date: DateText.seconds(ofWritten: text).map { .real($0) }
            case .string, .url, .json, .uuid, .data: try QueryResolver.string(text, as: type)
            default: try QueryResolver.number(text, as: type)
            }
        guard let value else {
            throw GranaryError(
                .typeMismatch, "The text for \(entity.path(of: name)) is not a value of its type, \(type).",
                entity: entity.name, attributes: [name]
            ).with(value: text)
        }
        try check(value, in: entity)
        return value
    }
}
