import GranaryCore

extension ResolvedExpression {
    /// The value of a program of `granary_compute`, in which attributes are arguments.
    ///
    /// Its recursion is bounded by the depth of queries, 100.
    ///
    /// - Throws: `overflow`, `range`, `typeMismatch`, `corrupt`, as the operations do.
    func value(from arguments: SQLArguments) throws -> StoredValue {
        switch self {
        case .attribute(let position): return StoredValue(arguments[position])
        case .value(let value): return value
        case .arithmetic(let operation, let left, let right, let kind):
            return try apply(operation, left.value(from: arguments), right.value(from: arguments), as: kind)
        case .date(let component, let inner, let offset):
            return try inner.withCell(from: arguments) { cell in
                let seconds: Double? =
                    switch cell.kind {
                    case .real: cell.realValue
                    case .integer: Double(cell.integerValue)
                    default: nil
                    }
                guard let seconds else { return .null }
                return GranaryCore.component(component, of: seconds, offset: offset).map { .integer($0) } ?? .null
            }
        case .folded(let inner, let folding):
            guard case .text(let utf8) = try inner.value(from: arguments) else { return .null }
            return .text(try folding.folded(utf8))
        case .length(let inner):
            return try inner.withCell(from: arguments) { cell in
                switch cell.kind {
                // Every scalar has one byte that continues none.
                case .text: .integer(cell.rawBytes.reduce(into: 0) { if $1 & 0xC0 != 0x80 { $0 += 1 } })
                case .bytes: .integer(Int64(cell.rawBytes.count))
                default: .null
                }
            }
        case .json(let inner, let path, let kind):
            return try inner.withCell(from: arguments) { cell in
                cell.kind == .text ? path.value(as: kind, in: cell.rawBytes) : .null
            }
        case .real(let inner):
            return try inner.withCell(from: arguments) { cell in
                cell.kind == .integer ? .real(Double(cell.integerValue)) : StoredValue(cell)
            }
        case .ifNil(let first, let second):
            let value = try first.value(from: arguments)
            return value == .null ? try second.value(from: arguments) : value
        // SQL gives these as arguments.
        case .toOne, .aggregate: throw SQLFunctions.misuse
        }
    }

    /// Lends an operand, without a copy where it is an argument.
    private func withCell(
        from arguments: SQLArguments, _ body: (Cell) throws -> StoredValue
    ) throws -> StoredValue {
        if case .attribute(let position) = self { return try body(arguments[position]) }
        return try value(from: arguments).withCell(body)
    }
}
