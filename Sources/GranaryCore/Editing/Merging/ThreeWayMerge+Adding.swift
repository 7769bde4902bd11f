// An attribute that the context changed by additions alone is no conflict, whatever its value is one level up: the
// amount that was added here is added to that value.

extension ThreeWayMerge {
    /// The merged value of an attribute that the context changed by additions alone; nil for every other attribute.
    ///
    /// - Throws: `overflow` if the sum does not fit the attribute; what ``Entity/sum(of:adding:at:isAmount:)`` throws.
    func sum(at position: Int) throws -> StoredValue? {
        guard change.differences.contains(position), let base = change.base, let mine = change.current,
            let theirs = store,
            let amount = entity.amount(from: base[position], to: mine[position], at: position)
        else { return nil }
        // If no other change was made, the context's value is taken without rounding.
        if areSame(theirs[position], base[position]) { return mine.value(at: position) }
        return try entity.sum(of: theirs[position], adding: amount, at: position)
    }

    /// The context's record. Attributes changed by additions alone get the value one level up plus the amount.
    func addingDifferences(to mine: StoredRow) throws -> StoredRow {
        if change.differences.isEmpty { return mine }
        return StoredRow(try (0..<mine.count).map { try sum(at: $0) ?? mine.value(at: $0) })
    }

    /// The attributes of a merged record that differ from the level above by additions alone.
    func differences(in merged: StoredRow?) -> AttributeSet {
        guard let merged, !change.differences.isEmpty else { return AttributeSet() }
        return AttributeSet(
            change.differences.positions.filter { position in
                guard let sum = try? sum(at: position) else { return false }
                return sum == merged.value(at: position)
            })
    }
}
