// A record that is to get other unique values first gets placeholders: values that no other record has.

extension Entity {
    /// A row with placeholders for its unique values that differ from those of `new`; nil if none differ. Only for use
    /// when all deletions are done: delete rules would not find the row by a reference that is a placeholder.
    package func withPlaceholders(in row: StoredRow, differingFrom new: StoredRow) -> StoredRow? {
        let changed = new.difference(from: row)
        return withPlaceholders(in: row, keeping: AttributeSet(), references: true) { positions in
            positions.contains(where: changed.contains)
        }
    }

    /// A row with placeholders for its unique values that include an attribute of `values`. The values themselves stay
    /// as they are, and no required reference is replaced. Returns nil if no placeholder is possible.
    package func withPlaceholders(in row: StoredRow, besides values: [Assignment]) -> StoredRow? {
        let kept = AttributeSet(values.map(\.position))
        return withPlaceholders(in: row, keeping: kept, references: false) { positions in
            positions.contains(where: kept.contains)
        }
    }

    private func withPlaceholders(
        in row: StoredRow, keeping kept: AttributeSet, references: Bool, _ isMeant: ([Int]) -> Bool
    ) -> StoredRow? {
        var assignments: [Assignment] = []
        for index in indexes where index.isUnique {
            let positions = index.attributes.compactMap { try? position(ofAttribute: $0) }
            guard isMeant(positions) else { continue }
            let free = positions.filter { !kept.contains($0) && $0 != keyPosition }
            // The placeholder that another record is least likely to have.
            let value = free.compactMap { position in
                attributes[position].placeholder(references: references).map { (position, $0.value, $0.rank) }
            }.min { $0.2 < $1.2 }
            if let value { assignments.append(Assignment(position: value.0, value: value.1)) }
        }
        return assignments.isEmpty ? nil : row.setting(assignments)
    }
}

extension Attribute {
    /// A value that no other record has: nil where nil is allowed, else a random one. Returns nil if there is no such
    /// value.
    ///
    /// - Parameter references: Whether a required reference may be replaced. It then dangles until everything is
    ///   written.
    fileprivate func placeholder(references: Bool) -> (value: StoredValue, rank: Int)? {
        if isOptional { return (.null, 0) }
        if reference != nil && !references { return nil }
        var generator = SystemRandomNumberGenerator()
        switch type.storage {
        case .null: return nil
        case .integer:
            let range = type.integerRange ?? Int64.min...Int64.max
            let isWide = range.upperBound >= Int64(Int32.max)
            return (.integer(Int64.random(in: range, using: &generator)), isWide ? 1 : 2)
        case .real:
            // A value that is a float too.
            return (.real(Double(Float.random(in: -1e15...1e15, using: &generator))), 1)
        case .text:
            let text = "granary-" + String(UInt64.random(in: 0...UInt64.max, using: &generator), radix: 36)
            return (.string(text), 1)
        case .bytes:
            if type == .decimal {
                return (.bytes(DecimalNumber(Int64.random(in: .min ... .max, using: &generator)).bytes), 1)
            }
            return (.bytes((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }), 1)
        }
    }
}
