import GranaryCore

extension LookUp {
    /// Finds the records of an entity whose one identity is a key that is an integer.
    func findKeys(_ plan: EntityPlan) throws {
        var numbers: [Int64] = []
        numbers.reserveCapacity(plan.rows.count)
        var isAscending = true
        for row in plan.rows.indices where isSought(row, plan) {
            guard let number = plan.integerKey(of: row) else { continue }
            if let last = numbers.last, last >= number { isAscending = false }
            numbers.append(number)
        }
        if !isAscending { numbers.sort() }
        numbers = try withoutNew(numbers, plan)
        let position = plan.entity.keyPosition
        guard let condition = condition(of: numbers, at: position) else { return }
        let isPlain = plan.isPlain
        let cursor = try context.rows(FetchRequest(entity: plan.position, condition: condition))
        while let row = try cursor.next() {
            guard let staged = plan.tables[0][row[position].integerValue].map(plan.merged) else { continue }
            if isPlain, !plan.rows[staged].isNamedOnly,
                plan.stage.gives(staged, nothingBeyond: row, except: plan.entity.versionPosition)
            {
                plan.rows[staged].outcome = .unchanged
            } else {
                plan.rows[staged].existing = StoredRow(row)
            }
        }
    }

    /// The records with keys, which are in order; nil if there are none. Where the keys are close together, the others between
    /// them are read as well, which is faster than to seek each one.
    private func condition(of numbers: [Int64], at position: Int) -> ResolvedCondition? {
        guard let first = numbers.first, let last = numbers.last else { return nil }
        guard numbers.count > 1 else { return .compare(position: position, .equal, .integer(first)) }
        let (distance, isTooFar) = last.subtractingReportingOverflow(first)
        guard !isTooFar, distance / 2 < numbers.count else {
            return .among(position: position, numbers.map { .integer($0) })
        }
        return .all([
            .compare(position: position, .greaterOrEqual, .integer(first)),
            .compare(position: position, .lessOrEqual, .integer(last)),
        ])
    }

    /// Of keys in order those that the store may have. The greatest that it has is asked for as long as that spares a look-up:
    /// what is imported into an empty store mostly comes in the order of its keys.
    private func withoutNew(_ numbers: [Int64], _ plan: EntityPlan) throws -> [Int64] {
        // What a context has not saved is not in order.
        guard plan.expectsNewKeys, let first = numbers.first, context is Transaction else { return numbers }
        let position = plan.entity.keyPosition
        let request = FetchRequest(
            entity: plan.position, order: [.init(position: position, isDescending: true)], limit: 1)
        let greatest = try context.rows(request).firstRow { $0[position].integerValue }
        guard let greatest else { return [] }
        if first > greatest { return [] }
        plan.expectsNewKeys = false
        return numbers
    }

    private func isSought(_ row: Int, _ plan: EntityPlan) -> Bool {
        plan.rows[row].identity == 0 && plan.rows[row].existing == nil && plan.rows[row].mergedInto == nil
    }
}
