/// A term of a ``ConditionProgram`` other than a comparison of an attribute with values. The program does the negation.
protocol ConditionTerm: AnyObject {
    func holds(_ cells: UnsafePointer<Cell>) throws -> Bool
}

final class RelationTerm: ConditionTerm {
    private let left: ExpressionProgram
    private let comparison: Comparison
    private let right: ExpressionProgram

    init(_ left: ExpressionProgram, _ comparison: Comparison, _ right: ExpressionProgram) {
        self.left = left
        self.comparison = comparison
        self.right = right
    }

    func holds(_ cells: UnsafePointer<Cell>) throws -> Bool {
        let (a, b) = (try left.value(cells), try right.value(cells))
        guard a.isNull || b.isNull else { return comparison.holds(compare(a, b)) }
        switch comparison {
        case .equal: return a.isNull && b.isNull
        case .notEqual: return !(a.isNull && b.isNull)
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return false
        }
    }
}

final class ListedTerm: ConditionTerm {
    private let expression: ExpressionProgram
    private let values: HeldCells
    private let listsNull: Bool

    init(_ expression: ExpressionProgram, _ values: [StoredValue]) {
        self.expression = expression
        listsNull = values.contains(.null)
        self.values = HeldCells(values.filter { $0 != .null })
    }

    func holds(_ cells: UnsafePointer<Cell>) throws -> Bool {
        let cell = try expression.value(cells)
        if cell.isNull { return listsNull }
        return values.withCells { ConditionProgram.search(cell, in: $0, from: 0, count: $0.count) }
    }
}

final class TextTerm: ConditionTerm {
    private let expression: ExpressionProgram
    private let matcher: TextMatcher

    init(_ expression: ExpressionProgram, _ matcher: TextMatcher) {
        self.expression = expression
        self.matcher = matcher
    }

    func holds(_ cells: UnsafePointer<Cell>) throws -> Bool {
        let cell = try expression.value(cells)
        return cell.kind == .text ? try matcher.matches(cell.rawBytes) : false
    }
}

/// Tests whether a value is among those of another query, which is run once, for the first row that needs it.
final class AmongRowsTerm: ConditionTerm {
    private let expression: ExpressionProgram
    private let request: FetchRequest
    private let related: any RelatedRows
    private let scratch = CellBytes()
    private var values: ByteTable?

    init(_ expression: ExpressionProgram, _ request: FetchRequest, _ related: any RelatedRows) {
        self.expression = expression
        self.request = request
        self.related = related
    }

    func holds(_ cells: UnsafePointer<Cell>) throws -> Bool {
        let values = try fetched()
        scratch.clear()
        scratch.append(try expression.value(cells), joinsNumbers: true)
        return values.contains(scratch.bytes)
    }

    private func fetched() throws -> ByteTable {
        if let values { return values }
        let fetched = ByteTable()
        try related.forEachValue(of: request) { cell in
            scratch.clear()
            scratch.append(cell, joinsNumbers: true)
            _ = fetched.insert(scratch.bytes)
        }
        values = fetched
        return fetched
    }
}

final class ToOneTerm: ConditionTerm {
    private let position: Int
    private let lookup: any RowLookup
    private let condition: ConditionProgram
    /// Nil if testing the condition again costs less than keeping the results.
    private let kept: KeptAnswers?

    /// - Parameter keepsAnswers: Whether the result for each key is kept, so that the condition is tested only once.
    init(_ position: Int, _ lookup: any RowLookup, _ condition: ConditionProgram, keepsAnswers: Bool) {
        self.position = position
        self.lookup = lookup
        self.condition = condition
        kept = keepsAnswers ? KeptAnswers() : nil
    }

    func holds(_ cells: UnsafePointer<Cell>) throws -> Bool {
        let key = cells[position]
        guard let kept, !key.isNull else { return try test(key) }
        if let known = kept.answer(for: key) { return known.integerValue == 1 }
        return kept.keep(.integer(try test(key) ? 1 : 0), for: key).integerValue == 1
    }

    private func test(_ key: Cell) throws -> Bool {
        guard let found = try lookup.cells(of: key) else { return false }
        return try condition.holds(found)
    }
}

final class ToManyTerm: ConditionTerm {
    private let keyPosition: Int
    private let referrers: any ReferringRows
    /// Nil if any record is enough.
    private let condition: ConditionProgram?

    init(_ keyPosition: Int, _ referrers: any ReferringRows, _ condition: ConditionProgram?) {
        self.keyPosition = keyPosition
        self.referrers = referrers
        self.condition = condition
    }

    func holds(_ cells: UnsafePointer<Cell>) throws -> Bool {
        try referrers.begin(cells[keyPosition])
        guard let condition else { return try referrers.skip() }
        while let found = try referrers.next() {
            if try condition.holds(found) { return true }
        }
        return false
    }
}
