import GranaryCore

/// Names of a schema in Swift.
enum SwiftName {
    /// The name of a property: in backquotes if it is a keyword.
    static func member(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// The name of a type. If it would hide a type that records use, `Record` is added to it.
    static func type(_ name: String) -> String {
        let isTaken =
            taken.contains(name) || keywords.contains(name) || ["Type", "Protocol", "Any", "Self"].contains(name)
        return isTaken ? name + "Record" : name
    }

    private static let taken: Set<String> = [
        "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float", "Double",
        "Decimal", "String", "Data", "Date", "UUID", "URL", "JSON", "AnyJSON", "Ref", "Record", "Key", "Index",
        "Unique",
        "Attribute", "Reference", "Version", "Transient", "Entity", "Field", "Fields", "Schema", "ToMany", "ManyToMany",
        "Optional", "Never", "Related", "Row",
    ]

    private static let keywords: Set<String> = [
        "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do",
        "else",
        "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in",
        "init",
        "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public",
        "repeat",
        "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
        "try",
        "typealias", "var", "where", "while",
    ]
}

extension AttributeType {
    /// The Swift type of a property with values of this type.
    var swiftName: String {
        switch self {
        case .bool: "Bool"
        case .int8: "Int8"
        case .int16: "Int16"
        case .int32: "Int32"
        case .int64: "Int64"
        case .uint8: "UInt8"
        case .uint16: "UInt16"
        case .uint32: "UInt32"
        case .uint64: "UInt64"
        case .float: "Float"
        case .double: "Double"
        case .decimal, .scaledDecimal: "Decimal"
        case .string: "String"
        case .data: "Data"
        case .date: "Date"
        case .uuid: "UUID"
        case .url: "URL"
        case .json: "AnyJSON"
        }
    }
}

extension Attribute {
    /// A literal for the value as the property's initial value; nil if no literal gives it.
    func literal(_ value: StoredValue) -> String? {
        guard reference == nil, let text = value.text(as: type) else { return nil }
        switch type {
        case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: return text
        case .float, .double:
            guard case .real(let number) = value, number.isFinite else { return nil }
            return text
        case .string:
            let escaped = text.unicodeScalars.map { scalar in
                switch scalar {
                case "\"", "\\": "\\\(scalar)"
                case _ where scalar.value < 0x20 || scalar.value == 0x7F: "\\u{\(String(scalar.value, radix: 16))}"
                default: String(scalar)
                }
            }
            return "\"\(escaped.joined())\""
        case .decimal, .scaledDecimal:
            // A literal with a fraction becomes a double before it becomes a decimal.
            let parts = text.split(separator: ".")
            let isWhole = parts.dropFirst().allSatisfy { $0.allSatisfy { $0 == "0" } }
            return isWhole ? parts.first.map(String.init) : nil
        case .data, .date, .uuid, .url, .json: return nil
        }
    }
}
