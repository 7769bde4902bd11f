/// One aggregate over cells that come one by one, in any order, with the same result in every order.
///
/// ```swift
/// var sum = Accumulator(.sum, of: .integer)
/// for row in rows { sum.add(row[2]) }
/// let result = try sum.result()
/// ```
///
/// Nothing can fail while adding; ``result()`` says what went wrong. Adding allocates nothing, apart from the first
/// number (doubles, decimals) and from a text or bytes that beat the longest so far.
package struct Accumulator: Sendable {
    package let function: AggregateFunction
    /// The kind of number, or nil for text, bytes and UUIDs, which can be counted and compared only.
    package let kind: NumberKind?
    /// For scaled decimals: their places.
    package let scale: Int?

    var count: Int64 = 0
    var integers: Int128 = 0
    var reals = RealSum()
    var decimals = DecimalSum()
    var extreme = Extreme()
    var fault: Fault?

    /// What was wrong with a cell; the first that was.
    enum Fault: Sendable {
        case kind(Cell.Kind)
        case notANumber
        case invalidDecimal
    }

    /// - Parameter scale: The places of a scaled decimal, whose cells are integers: its average is then a decimal.
    package init(_ function: AggregateFunction, of kind: NumberKind?, scale: Int? = nil) {
        self.function = function
        self.kind = kind
        self.scale = scale
    }

    /// An aggregate of the values of an attribute.
    package init(_ function: AggregateFunction, of type: AttributeType) {
        if case .scaledDecimal(let places) = type {
            self.init(function, of: .integer, scale: places)
        } else {
            self.init(function, of: NumberKind(type))
        }
    }

    /// Takes a cell in; null is skipped. An integer cell among reals is the nearest double.
    package mutating func add(_ cell: Cell) {
        if cell.isNull { return }
        count += 1
        switch function {
        case .count: break
        case .sum, .average: addNumber(cell)
        case .minimum: offer(cell, ifLess: true)
        case .maximum: offer(cell, ifLess: false)
        }
    }

    /// Takes in what another of the same function and kind has seen.
    package mutating func merge(_ other: Accumulator) {
        count += other.count
        integers += other.integers
        reals.merge(other.reals)
        decimals.merge(other.decimals)
        other.extreme.withCell { extreme.offer($0, ifLess: function == .minimum) }
        if fault == nil { fault = other.fault }
    }

    /// Takes in what other cells have come to, or takes it away again: of sums and averages the sum, which must be exact, else
    /// the result. A minimum or maximum cannot be taken away.
    ///
    /// - Parameter added: Of an average, how many cells.
    package mutating func add(partial cell: Cell, count added: Int64, isLess: Bool = false) {
        switch function {
        case .count: count += isLess ? -cell.integerValue : cell.integerValue
        case .sum: add(exactSum: cell, isLess: isLess)
        case .average:
            count += isLess ? -added : added
            add(exactSum: cell, isLess: isLess)
        case .minimum, .maximum: add(cell)
        }
    }

    private mutating func add(exactSum cell: Cell, isLess: Bool) {
        switch (kind, cell.kind) {
        case (.integer, .integer): integers += Int128(cell.integerValue) * (isLess ? -1 : 1)
        case (.decimal, .bytes):
            do {
                let sum = try DecimalNumber(encoded: cell.rawBytes)
                decimals.add(isLess ? sum.negated : sum)
            } catch {
                note(.invalidDecimal)
            }
        default: note(.kind(cell.kind))
        }
    }

    private mutating func addNumber(_ cell: Cell) {
        switch (kind, cell.kind) {
        case (.real, .real): reals.add(cell.realValue)
        case (.real, .integer): reals.add(Double(cell.integerValue))
        case (.integer, .integer): integers += Int128(cell.integerValue)
        case (.decimal, .bytes):
            do {
                decimals.add(try DecimalNumber(encoded: cell.rawBytes))
            } catch {
                note(.invalidDecimal)
            }
        case (.decimal, .integer): decimals.add(DecimalNumber(cell.integerValue))
        default: note(.kind(cell.kind))
        }
    }

    private mutating func offer(_ cell: Cell, ifLess: Bool) {
        // An engine may hand out a real without a fraction as an integer: the result is a real all the same.
        let isReal = kind == .real && cell.kind == .integer
        let candidate = isReal ? .real(Double(cell.integerValue)) : cell
        if candidate.kind == .real && candidate.realValue.isNaN {
            note(.notANumber)
        } else {
            extreme.offer(candidate, ifLess: ifLess)
        }
    }

    private mutating func note(_ found: Fault) {
        if fault == nil { fault = found }
    }
}
