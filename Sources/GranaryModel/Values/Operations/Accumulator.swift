/// Computes one aggregate over cells that are added one by one, with the same result in any order.
///
/// ```swift
/// var sum = Accumulator(.sum, of: .integer)
/// for row in rows { sum.add(row[2]) }
/// let result = try sum.result()
/// ```
///
/// Adding never throws; ``result()`` throws the error. Adding allocates nothing, except for the first number (doubles,
/// decimals) and for a text or bytes that are longer than any buffer so far.
package struct Accumulator: Sendable {
    package let function: AggregateFunction
    /// The kind of number; nil for text, bytes and UUIDs, which can only be counted and compared.
    package let kind: NumberKind?
    /// The places of scaled decimals.
    package let scale: Int?

    var count: Int64 = 0
    var integers: Int128 = 0
    var reals = RealSum()
    var decimals = DecimalSum()
    var extreme = Extreme()
    var fault: Fault?

    /// The first fault that was found in a cell.
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

    /// Adds a cell; null is skipped. An integer cell among reals is the nearest double.
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

    /// Adds the cells that another accumulator of the same function and kind has seen.
    package mutating func merge(_ other: Accumulator) {
        count += other.count
        integers += other.integers
        reals.merge(other.reals)
        decimals.merge(other.decimals)
        other.extreme.withCell { extreme.offer($0, ifLess: function == .minimum) }
        if fault == nil { fault = other.fault }
    }

    /// Adds the aggregate of other cells, or subtracts it. For sums and averages the cell is the sum, which must be
    /// exact; for other functions the result. A minimum or maximum cannot be subtracted.
    ///
    /// - Parameter added: For an average, the number of cells.
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
        // An engine may return a real without a fraction as an integer. The result must still be a real.
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
