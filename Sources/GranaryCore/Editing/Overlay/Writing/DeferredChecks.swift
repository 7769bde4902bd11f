/// The records of which references are checked at the end of a part that defers them. Such parts may be in each other.
struct DeferredChecks {
    private(set) var records: [(place: RecordChange.Place, positions: AttributeSet)] = []
    /// Where in ``records`` each open part began.
    private(set) var parts: [Int] = []

    var isActive: Bool { !parts.isEmpty }

    mutating func begin() { parts.append(records.count) }

    mutating func end() {
        parts.removeLast()
        if parts.isEmpty { records.removeAll() }
    }

    /// - Parameter changed: The references that the record was given; perhaps none. Such a record is noted, too, as errors name
    ///   the record that was written first; and within another such part it may have references from before that are to be checked.
    mutating func note(_ place: RecordChange.Place, _ changed: AttributeSet) { records.append((place, changed)) }

    /// What the innermost part has to check: the records written in it, in the order in which each was first written, with all
    /// references that it was given in the open parts. Nil if there is no part.
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

    /// Takes back everything to where this many records were noted, within these parts.
    mutating func takeBack(to count: Int, in parts: [Int]) {
        takeBack(to: count)
        self.parts = parts
    }
}
