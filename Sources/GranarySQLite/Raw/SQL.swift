public import GranaryStoreKit

/// A statement in SQLite's own language: text from the program, and values that are bound to it.
///
/// ```swift
/// let name = "Jimi Hendrix'; DROP TABLE Artist; --"
/// let found = try snapshot.fetch(Artist.self, "SELECT * FROM Artist WHERE name = \(name)")
/// let best = try snapshot.rows("""
///     SELECT \(column: \Artist.Fields.name), count(*) AS songs FROM \(table: Artist.self)
///     JOIN \(table: Song.self) ON Song.artist = Artist.id WHERE Artist.id IN \([1, 2, 3]) GROUP BY Artist.id
///     """)
/// ```
///
/// | interpolation | result |
/// |---|---|
/// | `\(value)` | a parameter with the value, in the form in which attributes are stored; nil is `NULL` |
/// | `\([1, 2, 3])` | a list of parameters: `(?, ?, ?)` |
/// | `\(table: Artist.self)`, `\(column: \Artist.Fields.name)` | the quoted name |
/// | `\(sql)` | another statement's text and values |
/// | `\(raw: text)` | the text itself: never anything that came from outside |
///
/// A value is never part of the text, so it cannot change the effect of a statement. Tables and columns have the names
/// of entities and attributes; ``/Granary/AttributeType`` describes the contents of columns.
public struct SQL: Sendable {
    /// The text, with a `?` for each value.
    public private(set) var text: String
    /// The values, in the order of their places in the text.
    public private(set) var values: [StoredValue]
    /// The error if a value cannot be stored; thrown when the statement is run.
    private(set) var failure: GranaryError?

    private init(text: String) {
        self.text = text
        values = []
    }
}

extension SQL: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self.init(text: value) }
    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql = SQL(text: "")

        public init(literalCapacity: Int, interpolationCount: Int) {
            sql.text.reserveCapacity(literalCapacity + interpolationCount)
        }

        public mutating func appendLiteral(_ literal: String) { sql.text += literal }

        /// Binds a value.
        public mutating func appendInterpolation(_ value: some AttributeValue) { bind(value) }

        /// Binds a value, or NULL.
        public mutating func appendInterpolation<Value: AttributeValue>(_ value: Value?) { bind(value) }

        /// Binds a list of values, in brackets: for `IN`.
        public mutating func appendInterpolation<Values: Sequence>(_ values: Values)
        where Values.Element: AttributeValue {
            sql.text += "("
            for (index, value) in values.enumerated() {
                if index > 0 { sql.text += ", " }
                bind(value)
            }
            sql.text += ")"
        }

        /// Binds a value that is also a sequence: bytes.
        public mutating func appendInterpolation<Value: AttributeValue & Sequence>(_ value: Value)
        where Value.Element: AttributeValue {
            bind(value)
        }

        /// The quoted name of a record type's table.
        public mutating func appendInterpolation<R: Record>(table: R.Type) {
            sql.text += EntitySQL.quoted(R.entityName)
        }

        /// The quoted name of an attribute's column, without its table's.
        public mutating func appendInterpolation<R: Record, Value>(column: KeyPath<R.Fields, Field<R, Value>>) {
            sql.text += EntitySQL.quoted(R.fields[keyPath: column].attributePath)
        }

        /// Another statement, or a part of one, with its values.
        public mutating func appendInterpolation(_ other: SQL) {
            sql.text += other.text
            sql.values += other.values
            sql.failure = sql.failure ?? other.failure
        }

        /// Text as it is. Everything in it is run.
        public mutating func appendInterpolation(raw text: String) { sql.text += text }

        private mutating func bind(_ value: some AttributeValue) {
            sql.text += "?"
            do {
                sql.values.append(try StoredValue(encoding: value))
            } catch {
                sql.values.append(.null)
                sql.failure =
                    sql.failure ?? error as? GranaryError
                    ?? GranaryError(
                        .range,
                        "Value \(sql.values.count) of the statement, a \(type(of: value)), cannot be encoded: \(type(of: error)). Give a value that its type can encode."
                    )
            }
        }
    }
}
