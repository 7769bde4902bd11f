import SwiftSyntax
import SwiftSyntaxBuilder

extension RecordDescription {
    /// The extension with the conformance, and with reading and writing by position, which keep values unchanged. It
    /// names no type of the user.
    func conformance(of type: String, to protocols: [String]) throws -> ExtensionDeclSyntax {
        let isolation = RecordDescription.isolation
        let conformances = protocols.map { "\(isolation)Granary.\($0)" }.joined(separator: ", ")
        let modifier = access.modifier(inTypeOf: .private) + isolation
        let encoding = properties.enumerated().map { "        \($1.encoding(at: $0))" }.joined(separator: "\n")
        return try ExtensionDeclSyntax(
            """
            extension \(raw: type)\(raw: conformances.isEmpty ? "" : ": \(conformances)") {
                \(raw: modifier)init(row: borrowing Granary.Row) throws {
            \(raw: decoding.map { "        " + $0 }.joined(separator: "\n"))
                }

                \(raw: modifier)func encode(into row: inout Granary.RowWriter) throws {
            \(raw: encoding)
                }

                \(raw: modifier)static var keepsValues: Bool { true }
            }
            """)
    }
}

extension RecordDescription {
    /// The lines of `init(row:)`. If there is a memberwise initializer, they call it: a struct that is set attribute by
    /// attribute, where each step may throw, would be built in memory and copied.
    private var decoding: [String] {
        guard isComplete else { return ["fatalError()"] }
        guard isMemberwise else {
            return properties.enumerated().map { "self.\($1.name) = try \($1.decoding(at: $0))" }
        }
        let arguments = properties.enumerated().map { position, property in
            let isLast = position == properties.count - 1
            return "    \(property.label): \(property.decoding(at: position))\(isLast ? ")" : ",")"
        }
        return ["try self.init("] + arguments
    }
}

extension RecordDescription.Property {
    /// The name as an argument's label. Only three keywords need back-ticks there; for all others the compiler objects
    /// to back-ticks. A name that is not an identifier needs them, too.
    fileprivate var label: String {
        let isIdentifier = plainName.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return isIdentifier && !["inout", "let", "var"].contains(plainName) ? plainName : name
    }

    fileprivate func decoding(at position: Int) -> String {
        let suffix = isOptional ? "?" : ""
        func unwrapping(_ type: String) -> String {
            "(row.decode(at: \(position)) as \(type)\(suffix))\(suffix).value"
        }
        return switch coding {
        case .plain: "row.decode(at: \(position))"
        case .json: unwrapping("Granary.JSON")
        case .scaled(let places): unwrapping("Granary.ScaledDecimal<\(places)>")
        }
    }

    fileprivate func encoding(at position: Int) -> String {
        let stored: String? =
            switch coding {
            case .plain: nil
            case .json: "Granary.JSON"
            case .scaled(let places): "Granary.ScaledDecimal<\(places)>"
            }
        let value =
            switch (stored, isOptional) {
            case (nil, _): "self.\(name)"
            case (let stored?, false): "\(stored)(self.\(name))"
            case (let stored?, true): "self.\(name).map(\(stored).init)"
            }
        return "try row.encode(\(value), at: \(position))"
    }
}
