/// A function of one value in the form for stores. A function of nil is nil.
public enum ResolvedFunction: Sendable, Hashable {
    case date(DateComponent, offset: Int)
    case folded(TextFolding)
    /// The number of Unicode scalars of text, of bytes of data.
    case length
    case json(JSONPath, JSONScalarKind)
    /// An integer as the nearest double.
    case real
    /// An integer, or the integer that a scaled decimal with these places is kept as, as a decimal.
    case decimal(places: Int)
    /// A number without its sign.
    case absolute(NumberKind)
}

// Properties of a function that do not depend on its argument.
extension ResolvedFunction {
    /// The storage class of its values.
    package var storage: Cell.Kind {
        switch self {
        case .date, .length: .integer
        case .folded: .text
        case .json(_, let kind): kind.type.storage
        case .real: .real
        case .decimal: .bytes
        case .absolute(let kind): kind.storage
        }
    }

    /// Whether it may return nil for a value that is not nil.
    package var mayGiveNil: Bool {
        switch self {
        case .date, .json: true
        default: false
        }
    }

    /// Whether computing it can fail because of values in rows.
    package var mayFail: Bool { self == .absolute(.integer) }

    /// The function with its argument, for display.
    package func text(of argument: String) -> String { unresolved.text(of: argument) }

    /// The same function by names.
    private var unresolved: AnyExpression.Function {
        switch self {
        case .date(let component, let offset): .date(component, offset: offset)
        case .folded(let folding): .folded(folding)
        case .length: .length
        case .json(let path, let kind): .json(path, kind.type)
        case .real: .real
        case .decimal: .decimal
        case .absolute: .absolute
        }
    }
}
