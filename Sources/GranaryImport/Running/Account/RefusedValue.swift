import GranaryCore

// Values that cannot be taken. Each leaves its attribute as it was and is reported. If the attribute was to tell which record the
// object is, and nothing else does, the object fails: then the error says that its key could not be read, not that it has none.

/// A value that an attribute or a relationship was to have, and cannot.
struct RefusedValue {
    /// Why, as the end of a sentence: "is not a date".
    let reason: String
    let value: ImportValue
    /// The attribute or the relationship.
    let name: String
    /// The key of the object in the source.
    let key: String

    /// - Parameter key: The same as `name` if it is left out.
    init(_ reason: String, _ value: ImportValue, _ name: String, key: String? = nil) {
        (self.reason, self.value, self.name) = (reason, value, name)
        self.key = key ?? name
    }
}

/// A reported value that was to tell which record an object is.
struct UnreadableKey {
    let entity: Int
    let position: Int
    /// The path of the object.
    let object: String
    let reason: String?
    let error: GranaryError
    /// The number of its issue in the report.
    let issue: Int
}

extension ImportValue {
    /// The value as an error about it has it, before it is shortened.
    var textOfError: String {
        switch self {
        case .string(let text), .decimal(let text): text
        case .data(let data): "\(data.count) bytes"
        case .double(let number): "\(number)"
        case .date(let date): "\(date)"
        default: (try? canonicalJSON()).map { String(decoding: $0, as: UTF8.self) } ?? kindName
        }
    }
}
