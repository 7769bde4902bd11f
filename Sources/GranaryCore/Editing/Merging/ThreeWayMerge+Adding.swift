// What was changed here by additions alone is no conflict, whatever it was made one level up: the amount that was added here
// is added there.

extension ThreeWayMerge {
    /// What an attribute becomes that was changed here by additions alone; nil for every other attribute.
    ///
    /// - Throws: `overflow` if the sum does not fit the attribute; what ``Entity/sum(of:adding:at:isAmount:)`` throws.
    func sum(at position: Int) throws -> StoredValue? {
        guard change.differences.contains(position), let base = change.base, let mine = change.current,
            let theirs = store,
            let amount = entity.amount(from: base[position], to: mine[position], at: position)
        else { return nil }
        // Nothing is rounded where no other change was made.
        if areSame(theirs[position], base[position]) { return mine.value(at: position) }
        return try entity.sum(of: theirs[position], adding: amount, at: position)
    }

    /// The context's record, in which what was changed by additions alone is added to what there is one level up.
    func addingDifferences(to mine: StoredRow) throws -> StoredRow {
        if change.differences.isEmpty { return mine }
        return StoredRow(try (0..<mine.count).map { try sum(at: $0) ?? mine.value(at: $0) })
    }

    /// The attributes of a merged record that are changed by additions alone, also seen from one level up.
    func differences(in merged: StoredRow?) -> AttributeSet {
        guard let merged, !change.differences.isEmpty else { return AttributeSet() }
        return AttributeSet(
            change.differences.positions.filter { position in
                guard let sum = try? sum(at: position) else { return false }
                return sum == merged.value(at: position)
            })
    }
}
