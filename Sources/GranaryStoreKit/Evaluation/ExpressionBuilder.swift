/// Makes the parts of an ``ExpressionProgram``.
struct ExpressionBuilder {
    let entity: Entity
    /// Where other records are found, and the position of `entity` in its schema. Nil if no other records can be asked for.
    private let source: (related: any RelatedRows, number: Int)?
    private(set) var instructions: ContiguousArray<ExpressionProgram.Instruction> = []
    private(set) var parts: ContiguousArray<any ExpressionPart> = []
    private(set) var conditions: ContiguousArray<ConditionProgram> = []
    private(set) var presets: ContiguousArray<(register: Int, cell: Cell)> = []
    private(set) var registerCount = 0
    let constants = HeldCells()

    /// For rows of an entity, which errors name.
    init(_ entity: Entity, number: Int, _ related: any RelatedRows) {
        self.entity = entity
        source = (related, number)
    }

    /// For values alone.
    init(_ entity: Entity) {
        self.entity = entity
        source = nil
    }

    private mutating func newRegister() -> Int32 {
        registerCount += 1
        return ~Int32(registerCount - 1)
    }

    private mutating func add(_ part: any ExpressionPart, _ left: Int32, _ right: Int32 = 0) -> Int32 {
        let target = newRegister()
        parts.append(part)
        instructions.append(
            ExpressionProgram.Instruction(
                operation: .part, target: target, left: left, right: right, other: Int32(parts.count - 1)))
        return target
    }

    private mutating func add(_ part: any ExpressionPart, of inner: ResolvedExpression) throws -> Int32 {
        let left = try emit(inner)
        return add(part, left)
    }

    // The depth is bounded where expressions are resolved.
    mutating func emit(_ expression: ResolvedExpression) throws -> Int32 {
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
                ExpressionProgram.Instruction(
                    operation: kind == .integer ? .integer : .real, arithmetic: operation, target: target, left: left,
                    right: right))
            return target
        case .function(let function, let inner):
            if let part = function.part { return try add(part, of: inner) }
            let left = try emit(inner)
            let target = newRegister()
            instructions.append(ExpressionProgram.Instruction(operation: .toReal, target: target, left: left))
            return target
        case .ifNil(let first, let second):
            let target = newRegister()
            let left = try emit(first)
            instructions.append(ExpressionProgram.Instruction(operation: .move, target: target, left: left))
            let skip = instructions.count
            instructions.append(ExpressionProgram.Instruction(operation: .skipUnlessNull, left: target))
            let right = try emit(second)
            instructions.append(ExpressionProgram.Instruction(operation: .move, target: target, left: right))
            instructions[skip].other = Int32(instructions.count)
            return target
        case .given(let condition, let inner):
            guard let (related, number) = source else { throw ExpressionBuilder.alone }
            let target = newRegister()
            conditions.append(try ConditionProgram(condition, of: number, in: related))
            let skip = instructions.count
            instructions.append(
                ExpressionProgram.Instruction(
                    operation: .skipUnlessGiven, target: target, left: target, right: Int32(conditions.count - 1)))
            let value = try emit(inner)
            instructions.append(ExpressionProgram.Instruction(operation: .move, target: target, left: value))
            instructions[skip].other = Int32(instructions.count)
            return target
        case .toOne(let position, let target, let inner):
            guard let (related, _) = source else { throw ExpressionBuilder.alone }
            let part = ToOnePart(
                try related.lookup(of: target), try ExpressionProgram(inner, of: target, in: related),
                keepsAnswers: inner.gathers)
            return add(part, Int32(position))
        case .words(let question, let texts):
            let words = SearchedWords(question)
            for (number, text) in texts.enumerated() { _ = try add(AddedWordsPart(words, number), of: text) }
            return try add(AnsweredWordsPart(words), of: .value(.integer(0)))
        case .aggregate(let aggregate):
            guard let (related, _) = source else { throw ExpressionBuilder.alone }
            return add(try RelatedAggregatePart(aggregate, in: related), Int32(entity.keyPosition))
        }
    }

    private static let alone = GranaryError(
        .invalidQuery, "An expression of values alone asks for other records. Give it their values.")
}
