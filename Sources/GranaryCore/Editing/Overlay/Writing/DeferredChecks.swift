/// The records whose references are checked at the end of a part that defers the checks. Such parts can be nested.
struct DeferredChecks {
    private(set) var records: [(place: RecordChange.Place, positions: AttributeSet)] = []
    /// For each open part, the number of ``records`` when it began.
    private(set) var parts: [Int] = []

    var isActive: Bool { !parts.isEmpty }

    mutating func begin() { parts.append(records.count) }

    mutating func end() {
        parts.removeLast()
        if parts.isEmpty { records.removeAll() }
    }

    /// - Parameter changed: The references that were set; may be empty. Such a record is noted as well, because errors
    ///   name the record that was written first, and because an enclosing part may still have to check its earlier
    ///   references.
    mutating func note(_ place: RecordChange.Place, _ changed: AttributeSet) { records.append((place, changed)) }

    /// The checks of the innermost part: the records written in it, in the order of their first write, with all
    /// references that were set in the open parts. Nil if no part is open.
    var innermost: [(place: RecordChange.Place, positions: AttributeSet)]? {
        guard let start = parts.last else { return nil }
        var references: [RecordChange.Place: AttributeSet] = [:]
        for (place, positions) in records { references[place, default: AttributeSet()].formUnion(positions) }
        return records[start...].compactMap { record in
            references.removeValue(forKey: record.place).map { (record.place, $0) }
        }
    }

    /// Takes back the records noted after the first `count`.
    mutating func takeBack(to count: Int) { records.removeLast(max(0, records.count - count)) }

    /// Restores the state with `count` noted records and with these parts.
    mutating func takeBack(to count: Int, in parts: [Int]) {
        takeBack(to: count)
        self.parts = parts
    }
}
