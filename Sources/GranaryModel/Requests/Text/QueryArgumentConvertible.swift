/// A type of arguments for placeholders and names in the text of a condition: every ``AttributeValue``, arrays and sets
/// of these for `IN` and `BETWEEN`, and ``QueryArgument`` itself, for names of attributes.
///
/// ```swift
/// try Artist.where("id IN %@ AND rating >= %@", ids, 4.5)
/// try Artist.where("%K > $least", arguments: [.attribute("rating")], named: ["least": 4])
/// ```
///
/// A generic type of your own that conforms to ``AttributeValue`` under a condition must also declare this conformance.
public protocol QueryArgumentConvertible {
    var _queryArgument: QueryArgument { get }
}

extension AttributeValue {
    public var _queryArgument: QueryArgument { .value(self) }
}

extension QueryArgument: QueryArgumentConvertible {
    public var _queryArgument: QueryArgument { self }
}

extension Optional: QueryArgumentConvertible where Wrapped: AttributeValue {}

extension Array: QueryArgumentConvertible where Element: AttributeValue {
    /// A list; for bytes, a single value of data.
    public var _queryArgument: QueryArgument {
        if Element.self == UInt8.self, let bytes = self as? [UInt8] { return .value(bytes) }
        return .list(self)
    }
}

extension Set: QueryArgumentConvertible where Element: AttributeValue {
    public var _queryArgument: QueryArgument { .list(self) }
}
