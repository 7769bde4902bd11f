package import GranaryCore

extension ResolvedFunction {
    /// The function of one value, from its definition alone: for evaluators that look at every row. What is a library's own
    /// (folding, parts of dates, JSON, arithmetic) takes that library's word.
    package func naiveValue(of value: StoredValue) throws -> StoredValue {
        switch (self, value) {
        case (.date(let part, let offset), .real(let seconds)):
            component(part, of: seconds, offset: offset).map { .integer($0) } ?? .null
        case (.folded(let folding), .text(let utf8)): .text(try folding.folded(utf8))
        case (.length, .text(let utf8)): .integer(Int64(utf8.count { $0 & 0xC0 != 0x80 }))
        case (.length, .bytes(let bytes)): .integer(Int64(bytes.count))
        case (.json(let path, let kind), .text(let utf8)): utf8.withUnsafeBytes { path.value(as: kind, in: $0) }
        case (.real, .integer(let integer)): .real(Double(integer))
        case (.real, _): value
        case (.decimal(let places), .integer(let integer)):
            DecimalNumber(integer, places: places).map { .bytes($0.bytes) } ?? .null
        case (.absolute, .null): .null
        case (.absolute(.decimal), _): try max(value, apply(.subtract, .integer(0), value, as: .decimal))
        case (.absolute(.integer), .integer(let number)) where number >= 0: value
        case (.absolute(.integer), .integer(.min)): throw GranaryError(.overflow, "\"abs\" of the least integer.")
        case (.absolute(.real), .real(let number)) where number >= 0: value
        case (.absolute(let kind), _): try apply(.subtract, .integer(0), value, as: kind)
        case (.date, _), (.folded, _), (.length, _), (.json, _), (.decimal, _): .null
        }
    }
}
