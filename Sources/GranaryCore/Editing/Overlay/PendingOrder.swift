/// The changed records of an entity in their new and in their old states, each sorted by one attribute and then by key.
final class PendingOrder {
    typealias Rows = ContiguousArray<UnsafePointer<Cell>>

    let position: Int
    let shown: Rows
    private let replaced: Rows

    init(_ rows: PendingRows, by position: Int, keyPosition: Int) {
        let order = RowOrder([
            RowOrder.Term(position: position, isDescending: false, nilsFirst: true),
            RowOrder.Term(position: keyPosition, isDescending: false, nilsFirst: true),
        ])
        func sorted(_ rows: Rows) -> Rows { Rows(rows.sorted { order.isBefore($0, $0, $1, $1) }) }
        self.position = position
        shown = sorted(rows.shown)
        replaced = sorted(rows.replaced)
    }

    /// The number of new states within bounds minus the number of old states within them.
    func difference(_ bounds: ValueBounds) -> Int { count(shown, bounds) - count(replaced, bounds) }

    private func count(_ rows: Rows, _ bounds: ValueBounds) -> Int {
        var (start, end) = (first(rows) { _ in true }, rows.count)
        for (comparison, value) in bounds.parts {
            value.withCell { value in
                switch comparison {
                case .less: end = min(end, first(rows) { compare($0, value) >= 0 })
                case .lessOrEqual: end = min(end, first(rows) { compare($0, value) > 0 })
                case .greater: start = max(start, first(rows) { compare($0, value) > 0 })
                case .greaterOrEqual: start = max(start, first(rows) { compare($0, value) >= 0 })
                case .equal:
                    start = max(start, first(rows) { compare($0, value) >= 0 })
                    end = min(end, first(rows) { compare($0, value) > 0 })
                case .notEqual: break
                }
            }
        }
        return max(0, end - start)
    }

    /// The index of the first row for which `holds` returns true. It must return true for all later rows; rows with nil
    /// never count.
    private func first(_ rows: Rows, _ holds: (Cell) -> Bool) -> Int {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            let cell = rows[middle][position]
            if !cell.isNull && holds(cell) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// A condition that consists of bounds of one attribute.
struct ValueBounds {
    let position: Int
    let parts: [(Comparison, StoredValue)]

    /// Nil for any other condition.
    init?(_ condition: ResolvedCondition) {
        var found: Int?
        var parts: [(Comparison, StoredValue)] = []
        for part in condition.conjuncts {
            guard case .compare(let position, let comparison, let value) = part, comparison != .notEqual,
                value != .null, found == nil || found == position
            else { return nil }
            found = position
            parts.append((comparison, value))
        }
        guard let found else { return nil }
        self.position = found
        self.parts = parts
    }
}
