/// An order of rows: compares cells where they lie, by the rules every store obeys.
///
/// A term is a position in a row, or a value computed from it. Computed values lie beside the row, in memory of the code that
/// compares, since a program keeps its last result alone.
package final class RowOrder {
    package struct Term {
        /// Where the value is in a row; the complement of where it is among the computed values.
        package var position: Int
        package var isDescending: Bool
        package var nilsFirst: Bool

        package init(position: Int, isDescending: Bool, nilsFirst: Bool) {
            self.position = position
            self.isDescending = isDescending
            self.nilsFirst = nilsFirst
        }
    }

    // Read for every comparison: an array that is a property is counted, and its accesses are checked, each time. Made in
    // init, freed in deinit, never handed out.
    private let terms: UnsafeMutableBufferPointer<Term>
    private let programs: ContiguousArray<ExpressionProgram>

    /// An order by positions alone. For rows without ties it must end with what tells them apart.
    package init(_ terms: [Term]) {
        self.terms = .allocate(capacity: terms.count)
        _ = self.terms.initialize(from: terms)
        programs = []
    }

    /// The whole order of a request that is not distinct, ending with the key.
    ///
    /// - Throws: `unknownEntity`.
    package init(of request: FetchRequest, in related: any RelatedRows) throws {
        let keyPosition = try related.entity(at: request.entity).keyPosition
        var terms: [Term] = []
        var programs: ContiguousArray<ExpressionProgram> = []
        for term in request.order {
            var position = term.value.position
            if position == nil {
                position = ~programs.count
                programs.append(try ExpressionProgram(term.value.expression, of: request.entity, in: related))
            }
            terms.append(
                Term(position: position ?? 0, isDescending: term.isDescending, nilsFirst: term.nilsFirst))
        }
        let isDescending = request.order.last?.isDescending ?? false
        terms.append(Term(position: keyPosition, isDescending: isDescending, nilsFirst: true))
        self.terms = .allocate(capacity: terms.count)
        _ = self.terms.initialize(from: terms)
        self.programs = programs
    }

    deinit { terms.deallocate() }

    /// How many values are computed for a row.
    package var computedCount: Int { programs.count }

    /// Computes the values for a row that are not in it. Their bytes stay until the next row's are computed.
    @inline(__always) package func compute(_ cells: UnsafePointer<Cell>, into computed: UnsafeMutablePointer<Cell>)
        throws
    {
        for number in 0..<programs.count { computed[number] = try programs[number].value(cells) }
    }

    /// Whether one row comes before another. Each is its cells and its computed values.
    @inline(__always) package func isBefore(
        _ left: UnsafePointer<Cell>, _ leftComputed: UnsafePointer<Cell>, _ right: UnsafePointer<Cell>,
        _ rightComputed: UnsafePointer<Cell>
    ) -> Bool {
        for number in 0..<terms.count {
            let term = terms[number]
            let isPlain = term.position >= 0
            let a = isPlain ? left[term.position] : leftComputed[~term.position]
            let b = isPlain ? right[term.position] : rightComputed[~term.position]
            if a.isNull || b.isNull {
                if a.isNull && b.isNull { continue }
                return a.isNull == term.nilsFirst
            }
            let order: Int
            if a.kind == .integer && b.kind == .integer {
                order = a.integerValue < b.integerValue ? -1 : a.integerValue == b.integerValue ? 0 : 1
            } else {
                order = compare(a, b)
            }
            if order != 0 { return (order < 0) != term.isDescending }
        }
        return false
    }
}
