/// A condition as a flat program of tests and jumps, made once for each query and run on every row. Comparisons of
/// attributes with values need no recursion, no reference counting and no copies. Other terms are objects that it
/// calls.
package final class ConditionProgram {
    /// Jump targets that end the program.
    private static let accept: Int32 = -1
    private static let reject: Int32 = -2

    private struct Step {
        enum Test: UInt8 { case compare, isNull, among, term }
        var test: Test
        /// For `compare` the outcomes that count as true, one bit each: less 1, equal 2, greater 4. For `among` 1 if
        /// listed, 0 if not.
        var mask: UInt8 = 0
        /// The outcome for null.
        var ofNull = false
        var position: Int32 = 0
        var ifTrue: Int32
        var ifFalse: Int32
        /// The start of its constants and their number; or the number of its term.
        var constant: Int32 = 0
        var count: Int32 = 0
    }

    // Built from the last step to the first, so that the target of every jump already exists.
    private var steps: ContiguousArray<Step> = []
    private let constants = HeldCells()
    private var terms: ContiguousArray<any ConditionTerm> = []
    private var entry: Int32 = ConditionProgram.accept
    private let related: any RelatedRows
    private let entity: Entity
    private let number: Int
    // The finished steps and constants, read on every row. An array as a property would be retained and its accesses
    // checked each time. Allocated at the end of init, freed in deinit, never handed out.
    private var code: UnsafeMutableBufferPointer<Step> = .init(start: nil, count: 0)
    private var fixed: UnsafeMutableBufferPointer<Cell> = .init(start: nil, count: 0)

    /// - Throws: `unknownEntity`, `invalidQuery` if a text pattern is not valid.
    package init(_ condition: ResolvedCondition, of entity: Int, in related: any RelatedRows) throws {
        self.related = related
        self.entity = try related.entity(at: entity)
        number = entity
        entry = try emit(condition, ConditionProgram.accept, ConditionProgram.reject)
        code = .allocate(capacity: steps.count)
        _ = code.initialize(from: steps)
        fixed = .allocate(capacity: constants.count)
        for place in 0..<constants.count { fixed.initializeElement(at: place, to: constants[place]) }
    }

    deinit {
        code.deallocate()
        fixed.deallocate()
    }

    /// Whether a row meets the condition.
    ///
    /// - Throws: What arithmetic, text patterns and the store throw, with the name of the entity.
    package func holds(_ cells: UnsafePointer<Cell>) throws -> Bool {
        let steps = code
        let constants = UnsafeBufferPointer(fixed)
        var place = entry
        while place >= 0 {
            let step = steps[Int(place)]
            let outcome: Bool
            switch step.test {
            case .compare:
                let cell = cells[Int(step.position)]
                if cell.isNull {
                    outcome = step.ofNull
                } else {
                    let order = ConditionProgram.order(cell, constants[Int(step.constant)])
                    outcome = step.mask & (1 << UInt8(truncatingIfNeeded: order &+ 1)) != 0
                }
            case .isNull: outcome = cells[Int(step.position)].isNull
            case .among:
                let cell = cells[Int(step.position)]
                if cell.isNull {
                    outcome = step.ofNull
                } else {
                    let found = ConditionProgram.search(
                        cell, in: constants, from: Int(step.constant), count: Int(step.count))
                    outcome = found == (step.mask == 1)
                }
            case .term: outcome = try holds(term: Int(step.constant), cells)
            }
            place = outcome ? step.ifTrue : step.ifFalse
        }
        return place == ConditionProgram.accept
    }

    @inline(never) private func holds(term: Int, _ cells: UnsafePointer<Cell>) throws -> Bool {
        do {
            return try terms[term].holds(cells)
        } catch let error as GranaryError where error.entity == nil {
            throw error.about(entity)
        }
    }

    /// -1, 0 or 1.
    @inline(__always) private static func order(_ left: Cell, _ right: Cell) -> Int {
        if left.kind == .integer && right.kind == .integer {
            let (a, b) = (left.integerValue, right.integerValue)
            return a < b ? -1 : a == b ? 0 : 1
        }
        return compare(left, right).signum()
    }

    /// Whether a cell equals one of the sorted constants.
    static func search(_ cell: Cell, in constants: UnsafeBufferPointer<Cell>, from start: Int, count: Int) -> Bool {
        var (low, high) = (start, start &+ count)
        while low < high {
            let middle = (low &+ high) >> 1
            let order = order(constants[middle], cell)
            if order == 0 { return true }
            if order < 0 { low = middle &+ 1 } else { high = middle }
        }
        return false
    }
}

extension ConditionProgram {
    // The depth is bounded where conditions are resolved.
    private func emit(_ condition: ResolvedCondition, _ ifTrue: Int32, _ ifFalse: Int32) throws -> Int32 {
        switch condition {
        case .always(let holds): return holds ? ifTrue : ifFalse
        case .all(let parts):
            return try parts.reversed().reduce(ifTrue) { next, part in try emit(part, next, ifFalse) }
        case .any(let parts):
            return try parts.reversed().reduce(ifFalse) { next, part in try emit(part, ifTrue, next) }
        case .compare(let position, let comparison, .null):
            let isEqual = comparison == .equal
            return add(
                Step(
                    test: .isNull, position: Int32(position), ifTrue: isEqual ? ifTrue : ifFalse,
                    ifFalse: isEqual ? ifFalse : comparison == .notEqual ? ifTrue : ifFalse))
        case .compare(let position, let comparison, let value):
            let first = keep([value])
            return add(
                Step(
                    test: .compare, mask: comparison.outcomes, ofNull: comparison == .notEqual,
                    position: Int32(position), ifTrue: ifTrue, ifFalse: ifFalse, constant: first, count: 1))
        case .among(let position, let values):
            return emitAmong(position, values, listed: true, ifTrue, ifFalse)
        case .notAmong(let position, let values):
            return emitAmong(position, values, listed: false, ifTrue, ifFalse)
        case .relation(let left, let comparison, let right, let isNegated):
            return add(
                RelationTerm(try program(left), comparison, try program(right)), isNegated, ifTrue, ifFalse)
        case .listed(let expression, let values, let isNegated):
            return add(ListedTerm(try program(expression), values), isNegated, ifTrue, ifFalse)
        case .text(let expression, let match, let isNegated):
            return add(TextTerm(try program(expression), try TextMatcher(match)), isNegated, ifTrue, ifFalse)
        case .amongRows(let expression, let request, let isNegated):
            return add(AmongRowsTerm(try program(expression), request, related), isNegated, ifTrue, ifFalse)
        case .toOne(let position, let target, let inner, let isNegated):
            let term = ToOneTerm(
                position, try related.lookup(of: target), try ConditionProgram(inner, of: target, in: related),
                keepsAnswers: inner.gathers)
            return add(term, isNegated, ifTrue, ifFalse)
        case .toMany(let source, let position, let inner, let isNegated):
            if inner == .always(false) { return isNegated ? ifTrue : ifFalse }
            let term = ToManyTerm(
                entity.keyPosition, try related.referrers(of: source, by: position),
                inner == .always(true) ? nil : try ConditionProgram(inner, of: source, in: related))
            return add(term, isNegated, ifTrue, ifFalse)
        }
    }

    private func program(_ expression: ResolvedExpression) throws -> ExpressionProgram {
        try ExpressionProgram(expression, of: number, in: related)
    }

    private func emitAmong(_ position: Int, _ values: [StoredValue], listed: Bool, _ ifTrue: Int32, _ ifFalse: Int32)
        -> Int32
    {
        let hasNull = values.contains(.null)
        let rest = hasNull ? values.filter { $0 != .null } : values
        let first = keep(rest)
        return add(
            Step(
                test: .among, mask: listed ? 1 : 0, ofNull: hasNull == listed, position: Int32(position),
                ifTrue: ifTrue, ifFalse: ifFalse, constant: first, count: Int32(rest.count)))
    }

    private func add(_ step: Step) -> Int32 {
        steps.append(step)
        return Int32(steps.count - 1)
    }

    private func add(_ term: any ConditionTerm, _ isNegated: Bool, _ ifTrue: Int32, _ ifFalse: Int32) -> Int32 {
        terms.append(term)
        return add(
            Step(
                test: .term, ifTrue: isNegated ? ifFalse : ifTrue, ifFalse: isNegated ? ifTrue : ifFalse,
                constant: Int32(terms.count - 1)))
    }

    private func keep(_ values: [StoredValue]) -> Int32 {
        let first = Int32(constants.count)
        for value in values { constants.append(value) }
        return first
    }
}

extension Comparison {
    /// The orders for which the comparison holds, one bit each: less 1, equal 2, greater 4.
    fileprivate var outcomes: UInt8 {
        switch self {
        case .equal: 2
        case .notEqual: 5
        case .less: 1
        case .lessOrEqual: 3
        case .greater: 4
        case .greaterOrEqual: 6
        }
    }
}
