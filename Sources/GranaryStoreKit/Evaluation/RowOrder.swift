/// An order of rows: compares cells in place, by the rules of every store.
///
/// A term is a position in a row, or a value computed from the row. The comparing code holds the computed values in
/// memory of its own, because a program keeps only its last result.
package final class RowOrder {
    package struct Term {
        /// The position of the value in a row; the complement of its position among the computed values.
        package var position: Int
        package var isDescending: Bool
        package var nilsFirst: Bool

        package init(position: Int, isDescending: Bool, nilsFirst: Bool) {
            self.position = position
            self.isDescending = isDescending
            self.nilsFirst = nilsFirst
        }
    }

    // Read for every comparison. An array as a property would be retained and its accesses checked each time. Allocated
    // in init, freed in deinit, never handed out.
    private let terms: UnsafeMutableBufferPointer<Term>
    private let programs: ContiguousArray<ExpressionProgram>

    /// An order by positions only. For an order without ties it must end with values that identify a row.
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

    /// The number of values that are computed for a row.
    package var computedCount: Int { programs.count }

    /// Computes the values for a row that are not in it. Their bytes stay valid until the values of the next row are
    /// computed.
    @inline(__always) package func compute(_ cells: UnsafePointer<Cell>, into computed: UnsafeMutablePointer<Cell>)
        throws
    {
        for number in 0..<programs.count { computed[number] = try programs[number].value(cells) }
    }

    /// Whether one row comes before another. Each row is given by its cells and its computed values.
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
