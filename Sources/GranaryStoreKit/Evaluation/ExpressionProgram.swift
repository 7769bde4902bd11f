// An operand is a position in the row (0 and up) or a register (its complement). Constants are registers that are
// filled once. So plain attributes and constants need no instruction, and an operation reads its operands in place.
// Operations with memory of their own (folded text, decimals, values of other records) are parts, which keep their last
// result.

/// An expression as a flat program, made once for each query and run on every row.
package final class ExpressionProgram {
    struct Instruction {
        enum Operation: UInt8 {
            case move, skipUnlessNull, skipUnlessGiven, integer, real, toReal, part
        }
        var operation: Operation
        var arithmetic = ArithmeticOperator.add
        var target: Int32 = 0
        var left: Int32
        var right: Int32 = 0
        /// The number of a part, or of the next instruction. The number of the condition of `skipUnlessGiven` is `right`.
        var other: Int32 = 0
    }

    private let instructions: UnsafeMutableBufferPointer<Instruction>
    private let parts: ContiguousArray<any ExpressionPart>
    private let conditions: ContiguousArray<ConditionProgram>
    /// The memory that the registers of constants point at.
    private let constants: HeldCells
    private let registers: UnsafeMutablePointer<Cell>
    private let result: Int32
    private let entity: Entity

    /// - Throws: `unknownEntity`.
    package convenience init(_ expression: ResolvedExpression, of entity: Int, in related: any RelatedRows) throws {
        try self.init(expression, ExpressionBuilder(try related.entity(at: entity), number: entity, related))
    }

    /// An expression over values: its attributes are the cells of a row, by position, and not those of a record.
    ///
    /// - Parameter entity: The entity for error messages.
    /// - Throws: `invalidQuery` for a part that uses other records.
    package convenience init(ofValues expression: ResolvedExpression, for entity: Entity) throws {
        try self.init(expression, ExpressionBuilder(entity))
    }

    private init(_ expression: ResolvedExpression, _ builder: ExpressionBuilder) throws {
        var builder = builder
        result = try builder.emit(expression)
        self.entity = builder.entity
        parts = builder.parts
        conditions = builder.conditions
        constants = builder.constants
        instructions = .allocate(capacity: builder.instructions.count)
        _ = instructions.initialize(from: builder.instructions)
        registers = .allocate(capacity: builder.registerCount + 1)
        registers.initialize(repeating: .null, count: builder.registerCount + 1)
        for preset in builder.presets { registers[preset.register] = preset.cell }
    }

    deinit {
        instructions.deallocate()
        registers.deallocate()
    }

    /// The value for a row. Text and bytes lie in the row, or in this program until the next row.
    ///
    /// - Throws: `overflow`, `range` and the other errors of arithmetic, with the name of the entity.
    package func value(_ cells: UnsafePointer<Cell>) throws -> Cell {
        if instructions.isEmpty { return load(result, cells) }
        do {
            return try run(cells)
        } catch let error as GranaryError where error.entity == nil {
            throw error.about(entity)
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
            case .skipUnlessGiven:
                if try !conditions[Int(step.right)].holds(cells) {
                    registers[target] = .null
                    next = Int(step.other)
                }
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

extension Cell {
    func integerOperand() throws -> Int64 {
        guard kind == .integer else { throw ArithmeticFailure.mismatch(kind, expected: .integer) }
        return integerValue
    }

    func realOperand() throws -> Double {
        switch kind {
        case .real: return realValue
        case .integer: return Double(integerValue)
        case .null, .text, .bytes: throw ArithmeticFailure.mismatch(kind, expected: .real)
        }
    }
}
