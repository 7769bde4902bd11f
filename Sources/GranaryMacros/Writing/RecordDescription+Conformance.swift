import SwiftSyntax
import SwiftSyntaxBuilder

extension RecordDescription {
    /// The extension: the conformance, and reading and writing by position. It names no type of the user's.
    func conformance(of type: String, conforms: Bool) throws -> ExtensionDeclSyntax {
        let isolation = RecordDescription.isolation
        let modifier = access.modifier(inTypeOf: .private) + isolation
        let decoding = properties.enumerated().map { "        \($1.decoding(at: $0))" }.joined(separator: "\n")
        let encoding = properties.enumerated().map { "        \($1.encoding(at: $0))" }.joined(separator: "\n")
        return try ExtensionDeclSyntax(
            """
            extension \(raw: type)\(raw: conforms ? ": \(isolation)Granary.Record" : "") {
                \(raw: modifier)init(row: borrowing Granary.Row) throws {
            \(raw: decoding)
                }

                \(raw: modifier)func encode(into row: inout Granary.RowWriter) throws {
            \(raw: encoding)
                }
            }
            """)
    }
}

extension RecordDescription.Property {
    fileprivate func decoding(at position: Int) -> String {
        let suffix = isOptional ? "?" : ""
        func unwrapping(_ type: String) -> String {
            "self.\(name) = try (row.decode(at: \(position)) as \(type)\(suffix))\(suffix).value"
        }
        return switch coding {
        case .plain: "self.\(name) = try row.decode(at: \(position))"
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
