/// A function of one value as a store runs it. A function of nil is nil.
public enum ResolvedFunction: Sendable, Hashable {
    case date(DateComponent, offset: Int)
    case folded(TextFolding)
    /// The number of Unicode scalars of text, of bytes of data.
    case length
    case json(JSONPath, JSONScalarKind)
    /// An integer as the nearest double.
    case real
    /// A number without its sign.
    case absolute(NumberKind)
}

// Facts about a function that do not depend on its argument.
extension ResolvedFunction {
    /// The storage class of its values.
    package var storage: Cell.Kind {
        switch self {
        case .date, .length: .integer
        case .folded: .text
        case .json(_, let kind): kind.type.storage
        case .real: .real
        case .absolute(let kind): kind.storage
        }
    }

    /// Whether it may be nil of a value that is not nil.
    package var mayGiveNil: Bool {
        switch self {
        case .date, .json: true
        default: false
        }
    }

    /// Whether computing it can fail for what the rows hold.
    package var mayFail: Bool { self == .absolute(.integer) }

    /// The function of an argument, for people.
    package func text(of argument: String) -> String { unresolved.text(of: argument) }

    /// The same function by names.
    private var unresolved: AnyExpression.Function {
        switch self {
        case .date(let component, let offset): .date(component, offset: offset)
        case .folded(let folding): .folded(folding)
        case .length: .length
        case .json(let path, let kind): .json(path, kind.type)
        case .real: .real
        case .absolute: .absolute
        }
    }
}
