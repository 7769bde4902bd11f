extension AnyExpression {
    /// A function of one value.
    public enum Function: Sendable, Hashable {
        /// A part of a date in the Gregorian calendar, in UTC plus `offset` seconds.
        case date(DateComponent, offset: Int)
        /// The form of a text in which case or diacritics are ignored.
        case folded(TextFolding)
        /// The number of Unicode scalars of text, of bytes of data.
        case length
        /// A value inside JSON, read as a type; nil if the JSON has no value of that type there.
        case json(JSONPath, AttributeType)
        /// An integer as the nearest double.
        case real
        /// An integer, or a scaled decimal, as a decimal.
        case decimal
        /// A number without its sign.
        case absolute
    }
}

extension AnyExpression.Function {
    /// The functions with a single argument and no options. The text form and the encoded form use its ``word``.
    static let plain: [AnyExpression.Function] = [.length, .real, .decimal, .absolute]

    init?(plain word: String) {
        guard let function = AnyExpression.Function.plain.first(where: { $0.word == word }) else { return nil }
        self = function
    }

    /// The name of the function in text and in the encoded form.
    var word: String {
        switch self {
        case .date(let component, _): component.rawValue
        case .folded: "folded"
        case .length: "length"
        case .json: "json"
        case .real: "double"
        case .decimal: "decimal"
        case .absolute: "abs"
        }
    }

    /// The name of the function in errors.
    package var name: String {
        switch self {
        case .folded: "folding"
        case .json: "a JSON path"
        case .real: "a double"
        case .decimal: "a decimal"
        default: word
        }
    }

    /// The function with its argument, for display.
    package func text(of argument: String) -> String {
        switch self {
        case .date(let component, 0): "\(argument).\(component.rawValue)"
        case .date(let component, let offset): "\(argument).\(component.rawValue)(\(offset))"
        case .folded(let folding): "\(word)\(folding)(\(argument))"
        case .length: "\(argument).length"
        case .json(let path, _): "\(argument)->\(path)"
        default: "\(word)(\(argument))"
        }
    }
}
