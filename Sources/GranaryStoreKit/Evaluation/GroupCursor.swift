/// The groups of a table with their aggregates, one row for each group.
package final class GroupCursor: RowCursor {
    private let groups: GroupTable
    private let cells: UnsafeMutablePointer<Cell>
    private var held = HeldCells()
    private var number = 0

    package init(_ groups: GroupTable) {
        self.groups = groups
        cells = .allocate(capacity: max(1, groups.cellCount))
        cells.initialize(repeating: .null, count: max(1, groups.cellCount))
    }

    deinit { cells.deallocate() }

    package func next() throws -> Row? {
        while number < groups.count, groups.isGone(number) { number += 1 }
        guard number < groups.count else { return nil }
        held = HeldCells()
        try groups.read(number, into: cells, held: held)
        number += 1
        return Row(cells: cells, count: groups.cellCount)
    }
}
