import GranaryCore

/// A condition as a flat program of comparisons and jumps, made once a query and run on every row: no recursion, no
/// reference counting, no copies.
final class ConditionProgram {
    /// Jump targets that end the program.
    private static let accept: Int32 = -1
    private static let reject: Int32 = -2

    private struct Step {
        enum Test: UInt8 { case compare, isNull, among }
        var test: Test
        /// For `compare` the outcomes that hold, a bit each: less 1, equal 2, greater 4. For `among` 1 if listed, 0 if not.
        var mask: UInt8
        /// The outcome for null.
        var ofNull: Bool
        var position: Int32
        var ifTrue: Int32
        var ifFalse: Int32
        /// Where its constants begin, and how many there are.
        var constant: Int32
        var count: Int32
    }

    // Built from the last step to the first, so that every jump goes to a step that is there already.
    private var steps: ContiguousArray<Step> = []
    private var constants: ContiguousArray<Cell> = []
    private var blocks: [UnsafeMutableRawBufferPointer] = []
    private var entry: Int32 = ConditionProgram.accept

    init(_ condition: ResolvedCondition) {
        entry = emit(condition, ConditionProgram.accept, ConditionProgram.reject)
    }

    deinit {
        for block in blocks { block.deallocate() }
    }

    // The depth is bounded where conditions are resolved.
    private func emit(_ condition: ResolvedCondition, _ ifTrue: Int32, _ ifFalse: Int32) -> Int32 {
        switch condition {
        case .always(let holds): return holds ? ifTrue : ifFalse
        case .all(let parts):
            return parts.reversed().reduce(ifTrue) { next, part in emit(part, next, ifFalse) }
        case .any(let parts):
            return parts.reversed().reduce(ifFalse) { next, part in emit(part, ifTrue, next) }
        case .compare(let position, let comparison, .null):
            let isEqual = comparison == .equal
            return add(
                Step(
                    test: .isNull, mask: 0, ofNull: true, position: Int32(position), ifTrue: isEqual ? ifTrue : ifFalse,
                    ifFalse: isEqual ? ifFalse : comparison == .notEqual ? ifTrue : ifFalse, constant: 0, count: 0))
        case .compare(let position, let comparison, let value):
            let first = keep([value])
            return add(
                Step(
                    test: .compare, mask: ConditionProgram.mask(comparison), ofNull: comparison == .notEqual,
                    position: Int32(position), ifTrue: ifTrue, ifFalse: ifFalse, constant: first, count: 1))
        case .among(let position, let values):
            return emitAmong(position, values, listed: true, ifTrue, ifFalse)
        case .notAmong(let position, let values):
            return emitAmong(position, values, listed: false, ifTrue, ifFalse)
        // Not there yet.
        case .relation, .listed, .text, .amongRows, .toOne, .toMany: return ifFalse
        }
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
                ifTrue: ifTrue,
                ifFalse: ifFalse, constant: first, count: Int32(rest.count)))
    }

    private func add(_ step: Step) -> Int32 {
        steps.append(step)
        return Int32(steps.count - 1)
    }

    private func keep(_ values: [StoredValue]) -> Int32 {
        let first = Int32(constants.count)
        for value in values {
            value.withCell { cell in
                guard cell.kind == .text || cell.kind == .bytes else { return constants.append(cell) }
                let block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, cell.rawBytes.count), alignment: 1)
                block.copyMemory(from: cell.rawBytes)
                blocks.append(block)
                let kept = UnsafeRawBufferPointer(start: block.baseAddress, count: cell.rawBytes.count)
                constants.append(cell.kind == .text ? .text(kept) : .bytes(kept))
            }
        }
        return first
    }

    private static func mask(_ comparison: Comparison) -> UInt8 {
        switch comparison {
        case .equal: 2
        case .notEqual: 5
        case .less: 1
        case .lessOrEqual: 3
        case .greater: 4
        case .greaterOrEqual: 6
        }
    }

    /// Whether a row meets the condition.
    func holds(_ cells: UnsafePointer<Cell>) -> Bool {
        var place = entry
        return steps.withUnsafeBufferPointer { steps in
            constants.withUnsafeBufferPointer { constants in
                while place >= 0 {
                    let step = steps[Int(place)]
                    let cell = cells[Int(step.position)]
                    let outcome: Bool
                    if cell.isNull {
                        outcome = step.ofNull
                    } else {
                        switch step.test {
                        case .isNull: outcome = false
                        case .compare:
                            let order = ConditionProgram.order(cell, constants[Int(step.constant)])
                            outcome = step.mask & (1 << UInt8(truncatingIfNeeded: order &+ 1)) != 0
                        case .among:
                            let found = ConditionProgram.search(
                                cell, in: constants, from: Int(step.constant), count: Int(step.count))
                            outcome = found == (step.mask == 1)
                        }
                    }
                    place = outcome ? step.ifTrue : step.ifFalse
                }
                return place == ConditionProgram.accept
            }
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

    private static func search(_ cell: Cell, in constants: UnsafeBufferPointer<Cell>, from start: Int, count: Int)
        -> Bool
    {
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
