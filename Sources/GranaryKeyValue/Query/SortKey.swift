import GranaryStoreKit

/// Writes the values of an order as bytes that `memcmp` orders in the same way: encoded completely (nothing is cut),
/// with descending terms complemented.
final class SortKey {
    struct Term {
        /// The position of the value in a row; negative if a program computes it.
        var position: Int
        var kind: ValueKind
        var isDescending: Bool
        /// Less than 1, which begins every other value, or greater.
        var nilTag: UInt8

        init(position: Int, _ kind: ValueKind, isDescending: Bool, nilsFirst: Bool) {
            self.position = position
            self.kind = kind
            self.isDescending = isDescending
            nilTag = nilsFirst == isDescending ? 2 : 0
        }
    }

    private let terms: ContiguousArray<Term>
    private let programs: ContiguousArray<ExpressionProgram?>
    private let values: CellBuffer

    init(_ order: [Plan.SortTerm], of table: Table, in session: KeyValueSession) throws {
        terms = ContiguousArray(
            order.map { term in
                Term(
                    position: term.value.position ?? -1,
                    // A term made only from a position does not know its type.
                    term.value.position.map { table.kinds[$0] } ?? ValueKind(term.value.type),
                    isDescending: term.isDescending, nilsFirst: term.nilsFirst)
            })
        programs = ContiguousArray(
            try order.map { term in
                if term.value.position != nil { return nil }
                return try ExpressionProgram(term.value.expression, of: table.number, in: session)
            })
        values = CellBuffer(order.count)
    }

    /// An order of rows whose values lie at these positions.
    init(_ terms: [Term]) {
        self.terms = ContiguousArray(terms)
        programs = ContiguousArray(repeating: nil, count: terms.count)
        values = CellBuffer(terms.count)
    }

    /// Computes the values for a row and returns the greatest number of bytes that they take.
    @inline(__always) func take(_ cells: UnsafePointer<Cell>) throws -> Int {
        var room = 0
        for number in 0..<terms.count {
            let position = terms[number].position
            let cell = position >= 0 ? cells[position] : try programs[number]?.value(cells) ?? .null
            values.base[number] = cell
            room &+= 19 &+ 2 &* cell.rawBytes.count
        }
        return room
    }

    /// Writes the first of the values, which is enough for most comparisons.
    @inline(__always) func writeFirst(into encoder: inout KeyEncoder) { write(0..<min(1, terms.count), &encoder) }

    /// Writes the values except the first.
    @inline(__always) func writeRest(into encoder: inout KeyEncoder) {
        write(min(1, terms.count)..<terms.count, &encoder)
    }

    @inline(__always) private func write(_ numbers: Range<Int>, _ encoder: inout KeyEncoder) {
        for number in numbers {
            let term = terms[number]
            let cell = values.base[number]
            let start = encoder.count
            if cell.isNull {
                encoder.put(byte: term.nilTag)
            } else {
                encoder.put(byte: 1)
                encoder.put(cell, as: term.kind)
            }
            if term.isDescending { encoder.complement(from: start) }
        }
    }
}
