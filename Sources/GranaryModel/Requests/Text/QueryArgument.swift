/// The value of a placeholder in the text of a condition: a value, a list of values, or the name of an attribute.
///
/// ```swift
/// try AnyCondition(parsing: "rating >= %@ AND id IN %@", arguments: [4.5, [1, 2, 3]])
/// try AnyCondition(parsing: "%K > $least", arguments: [.attribute("rating")], named: ["least": .value(least)])
/// ```
///
/// A value keeps its exact type. For a value that cannot be stored (NaN) the parsing throws.
public struct QueryArgument: Sendable, Hashable {
    enum Form: Sendable, Hashable {
        case value(StoredValue)
        case values([StoredValue])
        case attribute(String)
        case failure(GranaryError.Code, String)
    }

    let form: Form
    /// Whether the value is a date. A number of seconds has the same stored form.
    let isDate: Bool

    init(_ form: Form, isDate: Bool = false) {
        self.form = form
        self.isDate = isDate
    }

    /// A value, or nil.
    public static func value<Value: AttributeValue>(_ value: Value) -> QueryArgument {
        guarded(isDate: Value.attributeType == .date) { .value(try StoredValue(encoding: value)) }
    }

    /// Values for `IN %@` and `BETWEEN %@`.
    public static func list(_ values: some Sequence<some AttributeValue>) -> QueryArgument {
        guarded { .values(try values.map { try StoredValue(encoding: $0) }) }
    }

    /// The name of an attribute, or a path to one, for `%K`.
    public static func attribute(_ path: String) -> QueryArgument { QueryArgument(.attribute(path)) }

    private static func guarded(isDate: Bool = false, _ make: () throws -> Form) -> QueryArgument {
        do {
            return QueryArgument(try make(), isDate: isDate)
        } catch let error as GranaryError {
            return QueryArgument(.failure(error.code, error.message))
        } catch {
            return QueryArgument(.failure(.range, "A value cannot be part of a query: \(type(of: error))."))
        }
    }
}

extension QueryArgument: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral
{
    public init(integerLiteral value: Int64) { self = .value(value) }
    public init(floatLiteral value: Double) { self = .value(value) }
    public init(stringLiteral value: String) { self = .value(value) }
    public init(booleanLiteral value: Bool) { self = .value(value) }
    public init(nilLiteral: ()) { self.init(.value(.null)) }

    /// A list of values. A list inside a list makes the parsing throw.
    public init(arrayLiteral elements: QueryArgument...) {
        var values: [StoredValue] = []
        for element in elements {
            guard case .value(let value) = element.form else {
                if case .failure = element.form {
                    self = element
                } else {
                    self.init(.failure(.invalidQuery, "A list in a query has values in it and nothing else."))
                }
                return
            }
            values.append(value)
        }
        self.init(.values(values))
    }
}
