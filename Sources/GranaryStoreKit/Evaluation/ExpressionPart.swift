/// An operation of an ``ExpressionProgram`` with state of its own: a table, a buffer, another record.
protocol ExpressionPart: AnyObject {
    /// - Parameters:
    ///   - left: Never null.
    ///   - right: The second operand, if the operation has one.
    /// - Returns: A cell whose bytes stay valid until the next call.
    func value(_ left: Cell, _ right: Cell) throws -> Cell
}

extension ResolvedFunction {
    /// The part that computes the function; nil if the program has an instruction for it.
    var part: (any ExpressionPart)? {
        switch self {
        case .date(let component, let offset): DatePart(component, offset: offset)
        case .folded(let folding): FoldedPart(folding)
        case .length: LengthPart()
        case .json(let path, let kind): JSONPart(path, kind)
        case .real: nil
        case .decimal(let places): ToDecimalPart(places: places)
        case .absolute(let kind): AbsolutePart(kind)
        }
    }
}

final class DecimalPart: ExpressionPart {
    private let operation: ArithmeticOperator
    private let held = HeldCell()

    init(_ operation: ArithmeticOperator) { self.operation = operation }

    func value(_ left: Cell, _ right: Cell) throws -> Cell {
        if right.isNull { return .null }
        return held.keep(
            .bytes(try DecimalNumber.apply(operation, DecimalPart.number(left), DecimalPart.number(right)).bytes))
    }

    static func number(_ cell: Cell) throws -> DecimalNumber {
        switch cell.kind {
        case .bytes: return try DecimalNumber(encoded: cell.rawBytes)
        case .integer: return DecimalNumber(cell.integerValue)
        case .null, .real, .text: throw ArithmeticFailure.mismatch(cell.kind, expected: .decimal)
        }
    }
}

final class ToDecimalPart: ExpressionPart {
    private let places: Int
    private let held = HeldCell()

    init(places: Int) { self.places = places }

    func value(_ left: Cell, _ right: Cell) throws -> Cell {
        let integer = try left.integerOperand()
        let number = try DecimalNumber(
            magnitude: UInt128(integer.magnitude), exponent: -places, isNegative: integer < 0)
        return held.keep(.bytes(number.bytes))
    }
}

final class AbsolutePart: ExpressionPart {
    private let kind: NumberKind
    private let held = HeldCell()

    init(_ kind: NumberKind) { self.kind = kind }

    func value(_ left: Cell, _ right: Cell) throws -> Cell {
        switch kind {
        case .integer:
            let number = try left.integerOperand()
            guard number != .min else { throw ArithmeticFailure.overflow("abs") }
            return .integer(abs(number))
        case .real: return .real(abs(try left.realOperand()))
        case .decimal:
            let number = try DecimalPart.number(left)
            return number.isNegative ? held.keep(.bytes(number.negated.bytes)) : left
        }
    }
}

final class DatePart: ExpressionPart {
    private let part: DateComponent
    private let offset: Int

    init(_ part: DateComponent, offset: Int) {
        self.part = part
        self.offset = offset
    }

    func value(_ left: Cell, _ right: Cell) throws -> Cell {
        component(part, of: try left.realOperand(), offset: offset).map { .integer($0) } ?? .null
    }
}

final class FoldedPart: ExpressionPart {
    private var folder: TextFolder
    private var folded: [UInt8] = []
    private let held = HeldCell()

    init(_ folding: TextFolding) { folder = TextFolder(folding) }

    func value(_ left: Cell, _ right: Cell) throws -> Cell {
        try folder.fold(left.rawBytes, into: &folded)
        return .text(folded.withUnsafeBytes { held.keep($0) })
    }
}

final class LengthPart: ExpressionPart {
    func value(_ left: Cell, _ right: Cell) throws -> Cell {
        let bytes = left.rawBytes
        guard left.kind == .text else { return .integer(Int64(bytes.count)) }
        // Each scalar has exactly one byte that is not a continuation byte.
        var count = 0
        for byte in bytes where byte & 0xC0 != 0x80 { count &+= 1 }
        return .integer(Int64(count))
    }
}

final class JSONPart: ExpressionPart {
    private let path: JSONPath
    private let kind: JSONScalarKind
    private let held = HeldCell()

    init(_ path: JSONPath, _ kind: JSONScalarKind) {
        self.path = path
        self.kind = kind
    }

    func value(_ left: Cell, _ right: Cell) throws -> Cell {
        held.keep(path.value(as: kind, in: left.rawBytes))
    }
}

final class ToOnePart: ExpressionPart {
    private let lookup: any RowLookup
    private let program: ExpressionProgram
    /// Nil if computing the value again costs less than keeping it.
    private let kept: KeptAnswers?

    /// - Parameter keepsAnswers: Whether the value for each key is kept, so that it is computed only once.
    init(_ lookup: any RowLookup, _ program: ExpressionProgram, keepsAnswers: Bool) {
        self.lookup = lookup
        self.program = program
        kept = keepsAnswers ? KeptAnswers() : nil
    }

    func value(_ left: Cell, _ right: Cell) throws -> Cell {
        guard let kept else { return try compute(left) }
        if let known = kept.answer(for: left) { return known }
        return kept.keep(try compute(left), for: left)
    }

    private func compute(_ key: Cell) throws -> Cell {
        guard let cells = try lookup.cells(of: key) else { return .null }
        return try program.value(cells)
    }
}
