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

    /// - Parameter changed: The references that the record was given.
    mutating func note(_ place: RecordChange.Place, _ changed: AttributeSet) {
        // Within another such part the record may have references from before that are still to be checked.
        if changed.isEmpty && parts.count == 1 { return }
        records.append((place, changed))
    }

    /// What the innermost part has to check: the records written in it, also by the references that the parts around it have
    /// deferred. Nil if there is no part.
    var innermost: [(place: RecordChange.Place, positions: AttributeSet)]? {
        guard let start = parts.last else { return nil }
        guard start > 0 else { return records }
        let written = Set(records[start...].map(\.place))
        var earlier: [RecordChange.Place: AttributeSet] = [:]
        for (place, positions) in records[..<start] where written.contains(place) {
            earlier[place, default: AttributeSet()].formUnion(positions)
        }
        return records[start...].map { place, changed in
            (place, earlier[place].map { changed.union($0) } ?? changed)
        }
    }

    /// All references that a record was given in the open parts.
    func references(of place: RecordChange.Place) -> AttributeSet {
        records.reduce(into: AttributeSet()) { if $1.place == place { $0.formUnion($1.positions) } }
    }

    /// Takes back the records noted after the first `count`.
    mutating func takeBack(to count: Int) { records.removeLast(max(0, records.count - count)) }

    /// Takes back everything to where this many records were noted, within these parts.
    mutating func takeBack(to count: Int, in parts: [Int]) {
        takeBack(to: count)
        self.parts = parts
    }
}
