// An operand is a position in the row (0 and up) or a register (its complement). Constants are registers that are filled
// once. So a plain attribute and a constant need no instruction, and an operation reads its operands where they are. What
// needs memory of its own (folded text, decimals, values of other records) is a part: it keeps its last result.

/// An expression as a flat program, made once a query and run on every row.
package final class ExpressionProgram {
    struct Instruction {
        enum Operation: UInt8 {
            case move, skipUnlessNull, integer, real, toReal, part
        }
        var operation: Operation
        var arithmetic = ArithmeticOperator.add
        var target: Int32 = 0
        var left: Int32
        var right: Int32 = 0
        /// The number of a part, or of the instruction to go on with.
        var other: Int32 = 0
    }

    private var instructions: ContiguousArray<Instruction> = []
    private var parts: ContiguousArray<any ExpressionPart> = []
    private var constants = HeldCells()
    private var presets: ContiguousArray<(register: Int, cell: Cell)> = []
    private var registerCount = 0
    private var registers = UnsafeMutablePointer<Cell>.allocate(capacity: 1)
    private var result: Int32 = 0
    private let related: any RelatedRows
    private let entity: Entity

    /// - Throws: `unknownEntity`.
    package init(_ expression: ResolvedExpression, of entity: Int, in related: any RelatedRows) throws {
        self.related = related
        self.entity = try related.entity(at: entity)
        result = try emit(expression)
        registers.deallocate()
        registers = .allocate(capacity: registerCount + 1)
        registers.initialize(repeating: .null, count: registerCount + 1)
        for preset in presets { registers[preset.register] = preset.cell }
    }

    deinit { registers.deallocate() }

    /// The value for a row. Text and bytes lie in the row, or in this program until the next row.
    ///
    /// - Throws: `overflow`, `range` and what else arithmetic throws, with the name of the entity.
    package func value(_ cells: UnsafePointer<Cell>) throws -> Cell {
        if instructions.isEmpty { return load(result, cells) }
        do {
            return try run(cells)
        } catch let error as GranaryError where error.entity == nil {
            throw error.about(entity.name)
        }
    }

    @inline(__always) private func load(_ operand: Int32, _ cells: UnsafePointer<Cell>) -> Cell {
        operand >= 0 ? cells[Int(operand)] : registers[Int(~operand)]
    }

    private func run(_ cells: UnsafePointer<Cell>) throws -> Cell {
        var next = 0
        while next < instructions.count {
            let step = instructions[next]
            next &+= 1
            let left = load(step.left, cells)
            let target = Int(~step.target)
            switch step.operation {
            case .move: registers[target] = left
            case .skipUnlessNull: if !left.isNull { next = Int(step.other) }
            case .toReal:
                registers[target] = left.kind == .integer ? .real(Double(left.integerValue)) : left
            case .integer:
                let right = load(step.right, cells)
                registers[target] =
                    left.isNull || right.isNull
                    ? .null
                    : .integer(try apply(step.arithmetic, try left.integerOperand(), try right.integerOperand()))
            case .real:
                let right = load(step.right, cells)
                registers[target] =
                    left.isNull || right.isNull
                    ? .null : .real(try apply(step.arithmetic, try left.realOperand(), try right.realOperand()))
            case .part:
                registers[target] =
                    left.isNull ? .null : try parts[Int(step.other)].value(left, load(step.right, cells))
            }
        }
        return load(result, cells)
    }
}

extension ExpressionProgram {
    private func newRegister() -> Int32 {
        registerCount += 1
        return ~Int32(registerCount - 1)
    }

    private func add(_ part: any ExpressionPart, _ left: Int32, _ right: Int32 = 0) -> Int32 {
        let target = newRegister()
        parts.append(part)
        instructions.append(
            Instruction(operation: .part, target: target, left: left, right: right, other: Int32(parts.count - 1)))
        return target
    }

    // The depth is bounded where expressions are resolved.
    private func emit(_ expression: ResolvedExpression) throws -> Int32 {
        switch expression {
        case .attribute(let position): return Int32(position)
        case .value(let value):
            let register = newRegister()
            presets.append((Int(~register), constants.append(value)))
            return register
        case .arithmetic(let operation, let left, let right, let kind):
            let (left, right) = (try emit(left), try emit(right))
            if kind == .decimal { return add(DecimalPart(operation), left, right) }
            let target = newRegister()
            instructions.append(
                Instruction(
                    operation: kind == .integer ? .integer : .real, arithmetic: operation, target: target, left: left,
                    right: right))
            return target
        case .real(let inner):
            let left = try emit(inner)
            let target = newRegister()
            instructions.append(Instruction(operation: .toReal, target: target, left: left))
            return target
        case .ifNil(let first, let second):
            let target = newRegister()
            instructions.append(Instruction(operation: .move, target: target, left: try emit(first)))
            let skip = instructions.count
            instructions.append(Instruction(operation: .skipUnlessNull, left: target))
            instructions.append(Instruction(operation: .move, target: target, left: try emit(second)))
            instructions[skip].other = Int32(instructions.count)
            return target
        case .date(let component, let inner, let offset):
            return add(DatePart(component, offset: offset), try emit(inner))
        case .folded(let inner, let folding): return add(FoldedPart(folding), try emit(inner))
        case .length(let inner): return add(LengthPart(), try emit(inner))
        case .json(let inner, let path, let kind): return add(JSONPart(path, kind), try emit(inner))
        case .toOne(let position, let target, let inner):
            return add(
                ToOnePart(try related.lookup(of: target), try ExpressionProgram(inner, of: target, in: related)),
                Int32(position))
        case .aggregate(let aggregate):
            return add(try RelatedAggregatePart(aggregate, in: related), Int32(entity.keyPosition))
        }
    }
}

extension Cell {
    fileprivate func integerOperand() throws -> Int64 {
        guard kind == .integer else { throw ArithmeticFailure.mismatch(kind, expected: .integer) }
        return integerValue
    }

    fileprivate func realOperand() throws -> Double {
        switch kind {
        case .real: return realValue
        case .integer: return Double(integerValue)
        case .null, .text, .bytes: throw ArithmeticFailure.mismatch(kind, expected: .real)
        }
    }
}
