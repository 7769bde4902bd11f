import GranaryCore
public import GranaryPlatform

/// A value of a source before it is converted: a part of a JSON document, of a row of CSV or of a dictionary.
///
/// ```swift
/// let artists: ImportValue = [
///     ["id": 100, "name": "Jimi Hendrix", "songs": [["id": 1, "title": "Fire"]]],
///     ["id": "101", "name": "Nina Simone", "rating": nil],
/// ]
/// try tx.import(artists, as: Artist.self)
/// ```
///
/// Numbers are exact: an integer has the full range of Int64, and ``decimal(_:)`` is a number as its text.
public enum ImportValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number as it is written, such as `12.50` or `1e400`.
    case decimal(String)
    case double(Double)
    case string(String)
    case data(Data)
    case date(Date)
    case array([ImportValue])
    case object(ImportObject)
}

/// The members of an object in the order of the source.
public struct ImportObject: Sendable {
    public struct Member: Sendable {
        public var key: String
        public var value: ImportValue

        public init(_ key: String, _ value: ImportValue) {
            self.key = key
            self.value = value
        }
    }

    public var members: [Member]

    public init(_ members: [Member] = []) { self.members = members }

    /// The value of a key; nil if the object has no such key. If a key occurs twice, the last one counts.
    public subscript(key: String) -> ImportValue? {
        get { members.last { $0.key.hasSameBytes(as: key) }?.value }
        set {
            members.removeAll { $0.key.hasSameBytes(as: key) }
            if let newValue { members.append(Member(key, newValue)) }
        }
    }
}

extension ImportValue: Equatable {
    /// Strings are equal when their bytes are.
    public static func == (left: ImportValue, right: ImportValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.decimal(let left), .decimal(let right)), (.string(let left), .string(let right)):
            left.hasSameBytes(as: right)
        case (.data(let left), .data(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)):
            left.members.count == right.members.count
                && zip(left.members, right.members).allSatisfy {
                    $0.key.hasSameBytes(as: $1.key) && $0.value == $1.value
                }
        default: false
        }
    }
}

extension ImportValue {
    /// The value of a key of an object; nil for any other value.
    public subscript(key: String) -> ImportValue? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    /// An element of an array; nil for any other value, and beyond the end.
    public subscript(index: Int) -> ImportValue? {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }

    /// The kind of the value, for messages.
    var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .decimal, .double: "a number"
        case .string: "a string"
        case .data: "data"
        case .date: "a date"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The approximate number of bytes of memory that it takes.
    var size: Int {
        let own = MemoryLayout<ImportValue>.stride
        return switch self {
        case .null, .bool, .integer, .double, .date: own
        case .decimal(let text), .string(let text): own + text.utf8.count
        case .data(let data): own + data.count
        case .array(let elements): elements.reduce(own) { $0 + $1.size }
        case .object(let object):
            object.members.reduce(own) { $0 + MemoryLayout<String>.stride + $1.key.utf8.count + $1.value.size }
        }
    }
}
