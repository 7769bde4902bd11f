/// The section of each row of a list, found while the rows are read in the order of the request.
struct SectionTally: Sendable {
    /// The names of the sections, in the order of their first rows.
    private(set) var names: [String] = []
    /// The number of rows of each section.
    private(set) var counts: [Int] = []
    /// The section number of each row.
    private var numbers: [Int32] = []
    private var isGrouped = true
    private var known: [StoredValue: Int32] = [:]
    private var byName: [[UInt8]: Int32] = [:]
    private var last: (value: StoredValue, number: Int32)?

    mutating func add(_ cell: Cell) {
        let value = StoredValue(cell)
        let number: Int32
        if let last, last.value == value { number = last.number } else { number = self.number(of: value) }
        if let last, last.number > number { isGrouped = false }
        last = (value, number)
        numbers.append(number)
        counts[Int(number)] += 1
    }

    private mutating func number(of value: StoredValue) -> Int32 {
        if let number = known[value] { return number }
        let name = FetchedSection.name(value)
        // Names with different bytes are different, even if Swift treats them as equal.
        let bytes = Array(name.utf8)
        let number = byName[bytes] ?? Int32(names.count)
        if byName[bytes] == nil {
            byName[bytes] = number
            names.append(name)
            counts.append(0)
        }
        known[value] = number
        return number
    }

    /// Puts rows section by section. Within a section they keep their order.
    func arrange(_ rows: KeyedRows) -> KeyedRows {
        if isGrouped { return rows }
        var next: [Int] = []
        var start = 0
        for count in counts {
            next.append(start)
            start += count
        }
        var places = [Int](repeating: 0, count: numbers.count)
        for (row, number) in numbers.enumerated() {
            places[next[Int(number)]] = row
            next[Int(number)] += 1
        }
        var arranged = KeyedRows()
        arranged.keys = places.map { rows.keys[$0] }
        arranged.hashes = places.map { rows.hashes[$0] }
        return arranged
    }

    /// The sections, one after the other.
    var sections: [FetchedSection] { FetchedSection.successive(names, counts) }
}

extension FetchedSection {
    /// Sections one after the other.
    static func successive(_ names: [String], _ counts: [Int]) -> [FetchedSection] {
        var start = 0
        return zip(names, counts).map { name, count in
            defer { start += count }
            return FetchedSection(name: name, range: start..<start + count)
        }
    }
}
