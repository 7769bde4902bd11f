import GranaryPlatform

/// A `Codable` value kept in one attribute as JSON.
///
/// `@Attribute(.json) var settings: Settings` wraps and unwraps it for you. Keys are sorted, so that equal values have
/// equal bytes; dates and data are coded as `JSONEncoder` does by default.
public struct JSON<Value: Codable & Sendable>: AttributeValue {
    public var value: Value

    public init(_ value: Value) { self.value = value }

    public static var attributeType: AttributeType { .json }

    public static func decode(_ cell: Cell) throws -> JSON<Value> {
        guard cell.kind == .text else { throw CellError.mismatch(cell, expected: .json) }
        do {
            return JSON(try JSONDecoder().decode(Value.self, from: Data(cell.rawBytes)))
        } catch {
            throw GranaryError(
                .typeMismatch, "The stored JSON does not decode as \(Value.self): \(Self.reason(error)).")
        }
    }

    public func encode(into writer: inout RowWriter, at position: Int) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            try encoder.encode(value).withUnsafeBytes { try writer.setText(utf8: $0, at: position) }
        } catch let error as GranaryError {
            throw error
        } catch {
            throw GranaryError(.range, "A \(Value.self) cannot be written as JSON: \(Self.reason(error)).")
        }
    }

    /// The error and its place, without the value.
    private static func reason(_ error: any Error) -> String {
        func path(_ context: [any CodingKey]) -> String { context.map(\.stringValue).joined(separator: ".") }
        return switch error {
        case DecodingError.keyNotFound(let key, let context): "no key \"\(path(context.codingPath + [key]))\""
        case DecodingError.typeMismatch(_, let context): "wrong type at \"\(path(context.codingPath))\""
        case DecodingError.valueNotFound(_, let context): "null at \"\(path(context.codingPath))\""
        case DecodingError.dataCorrupted(let context): "not valid at \"\(path(context.codingPath))\""
        case EncodingError.invalidValue(_, let context):
            "a value without a JSON form at \"\(path(context.codingPath))\""
        default: "\(type(of: error))"
        }
    }
}

extension JSON: Equatable where Value: Equatable {}
extension JSON: Hashable where Value: Hashable {}

/// Coded as the value alone.
extension JSON: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Value.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
