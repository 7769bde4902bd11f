/// Groups of rows, found by their values, with their aggregates. Adding a row to an existing group allocates nothing.
package final class GroupTable {
    private struct Column {
        /// Nil to count rows.
        var program: ExpressionProgram?
        /// The seen values, each after its group's number, if equal values count once.
        var seen: ByteTable?
        /// The index among a group's accumulators; unused if rows are counted.
        var number: Int
    }

    private let groups: ContiguousArray<ExpressionProgram>
    private let columns: ContiguousArray<Column>
    private let empty: ContiguousArray<Accumulator>
    private let keys = ByteTable()
    private var rowCounts: ContiguousArray<Int64> = []
    private var accumulators: ContiguousArray<Accumulator> = []
    private let scratch = CellBytes()
    private let entity: Entity

    /// - Throws: `unknownEntity`.
    package init(
        _ aggregation: Aggregation, of number: Int, in related: any RelatedRows
    ) throws {
        entity = try related.entity(at: number)
        groups = ContiguousArray(
            try aggregation.groups.map { try ExpressionProgram($0.expression, of: number, in: related) })
        var empty: ContiguousArray<Accumulator> = []
        columns = ContiguousArray(
            try aggregation.aggregates.map { aggregate in
                let accumulator = Accumulator(aggregate.function, of: aggregate.value?.type ?? .int64)
                let value = aggregate.countsRows ? nil : aggregate.value
                if value != nil { empty.append(accumulator) }
                return Column(
                    program: try value.map { try ExpressionProgram($0.expression, of: number, in: related) },
                    seen: aggregate.isDistinct ? ByteTable() : nil, number: empty.count - 1)
            })
        self.empty = empty
        if groups.isEmpty { _ = group([]) }
    }

    package var count: Int { rowCounts.count }
    package var cellCount: Int { groups.count + columns.count }

    /// Adds a row.
    package func add(_ cells: UnsafePointer<Cell>) throws {
        var group = 0
        if !groups.isEmpty {
            scratch.clear()
            for number in 0..<groups.count { scratch.append(try groups[number].value(cells)) }
            group = self.group(scratch.bytes)
        }
        rowCounts[group] &+= 1
        for number in 0..<columns.count {
            guard let program = columns[number].program else { continue }
            let cell = try program.value(cells)
            if cell.isNull { continue }
            if let seen = columns[number].seen {
                scratch.clear()
                scratch.append(number: group)
                scratch.append(cell)
                if !seen.insert(scratch.bytes).isNew { continue }
            }
            accumulators[group &* empty.count &+ columns[number].number].add(cell)
        }
    }

    /// Adds the aggregates of other rows.
    ///
    /// - Parameters:
    ///   - row: A row of the answer to `parts`: the group's values, then its aggregates.
    ///   - isLess: Whether to subtract these rows. `parts` must allow that.
    package func add(_ parts: PartialAggregates, _ row: borrowing Row, isLess: Bool = false) {
        let cells = row.cells
        var group = 0
        if !groups.isEmpty {
            scratch.clear()
            for number in 0..<groups.count { scratch.append(cells[number]) }
            group = self.group(scratch.bytes)
        }
        let rowCount = cells[row.count - 1].integerValue
        rowCounts[group] += isLess ? -rowCount : rowCount
        var next = groups.count
        for column in columns {
            let cell = cells[next]
            next += 1
            if column.program == nil { continue }
            let place = group * empty.count + column.number
            var count: Int64 = 0
            if empty[column.number].function == .average {
                count = cells[next].integerValue
                next += 1
            }
            accumulators[place].add(partial: cell, count: count, isLess: isLess)
        }
    }

    /// Adds `count` rows to the group of one value, for a table that only counts.
    package func add(_ count: Int, of value: Cell) {
        scratch.clear()
        scratch.append(value)
        rowCounts[group(scratch.bytes)] += Int64(count)
    }

    private func group(_ bytes: UnsafeRawBufferPointer) -> Int {
        let (number, isNew) = keys.insert(bytes)
        if isNew {
            rowCounts.append(0)
            accumulators.append(contentsOf: empty)
        }
        return number
    }

    private func group(_ bytes: [UInt8]) -> Int { bytes.withUnsafeBytes { group($0) } }

    /// Whether all rows of a group were subtracted. The single group of all rows exists even without rows.
    package func isGone(_ group: Int) -> Bool { rowCounts[group] == 0 && !groups.isEmpty }

    /// Reads the values of a group, which lie in this table, and its results, which `held` keeps.
    package func read(_ group: Int, into cells: UnsafeMutablePointer<Cell>, held: HeldCells) throws {
        CellBytes.read(keys[group], into: cells, count: groups.count)
        do {
            for (number, column) in columns.enumerated() {
                let result =
                    column.program == nil
                    ? .integer(rowCounts[group])
                    : try accumulators[group * empty.count + column.number].result()
                cells[groups.count + number] = held.append(result)
            }
        } catch let error as GranaryError where error.entity == nil {
            throw error.about(entity)
        }
    }
}

extension Aggregation.Aggregate {
    /// Whether it is the number of rows: an attribute that is never nil has one value in every row.
    package var countsRows: Bool {
        guard function == .count else { return false }
        guard let value else { return true }
        return !isDistinct && !value.isOptional && value.position != nil
    }
}
