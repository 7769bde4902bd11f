import TestSupport
import Testing

@testable import GranaryCore

/// The tables of changes, beside a dictionary.
@Suite struct PendingTableTests {
    private static func keys(_ kind: Int) -> [StoredValue] {
        switch kind {
        case 0: (0..<60).map { .integer($0 - 20) }
        case 1: (0..<60).map { .integer($0 << 48) }
        case 2: (0..<60).map { .real(Double($0) / 4) }
        default: (0..<60).map { .string("key \($0)") }
        }
    }

    private func check(_ table: PendingTable, _ model: [StoredValue: StoredRow], _ keys: [StoredValue]) {
        #expect(table.count == model.count && table.isEmpty == model.isEmpty)
        for key in keys { #expect(table[key]?.current === model[key]) }
        #expect(table.byKey.map(\.key) == model.keys.sorted())
        #expect(table.map(\.key).sorted() == model.keys.sorted())
        for (key, change) in table { #expect(change.current === model[key]) }
    }

    @Test(arguments: 0...3, (1...5).map(TestSeed.of))
    func `a table holds what was put and not taken away`(kind: Int, seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        let keys = Self.keys(kind)
        var (table, model): (PendingTable, [StoredValue: StoredRow]) = (PendingTable(), [:])
        var copies: [(PendingTable, [StoredValue: StoredRow])] = []
        for step in 0..<400 {
            // First all of them in order, then as it comes, now and then mostly away.
            let key = step < 40 ? keys[step] : keys[.random(in: 0..<60, using: &random)]
            let isTaken = step >= 40 && Int.random(in: 0..<(step / 100 % 2 == 0 ? 2 : 5), using: &random) > 0
            let row = isTaken ? nil : StoredRow([key, .integer(Int64(step))])
            table.put(row.map { PendingChanges.Change(base: nil, current: $0) }, key)
            model[key] = row
            check(table, model, keys)
            if step % 90 == 0 { copies.append((table, model)) }
        }
        for (table, model) in copies { check(table, model, keys) }
    }

    @Test func `minus zero is zero`() {
        var table = PendingTable()
        for number in 0..<40 {
            table.put(PendingChanges.Change(base: nil, current: StoredRow([1])), .real(Double(20 - number)))
        }
        #expect(table[.real(-0.0)] != nil)
    }

    @Test(arguments: [0, 1, 2, 3, 7, 31, 32, 100, 101, Int.max], (1...5).map(TestSeed.of))
    func `the first elements are those that sorting puts first`(limit: Int, seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        let numbers = (0..<100).map { _ in Int.random(in: 0..<60, using: &random) }
        for numbers in [numbers, numbers.sorted(), numbers.sorted().reversed()] {
            var first = FirstElements<Int>(limit: limit)
            for number in numbers {
                if let last = first.last, number >= last { continue }
                first.add(number, <)
            }
            #expect(Array(first.sorted(<)) == Array(numbers.sorted().prefix(limit)))
        }
    }
}
