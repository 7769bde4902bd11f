import GranaryCore

/// The groups of a table, a row each.
final class GroupStream: RowCursor {
    private let session: Session
    private let groups: GroupTable
    private let version: Int
    private let cells: CellBuffer
    private var held = HeldCells()
    private var number = 0

    init(_ session: Session, _ groups: GroupTable) {
        self.session = session
        self.groups = groups
        version = session.version
        cells = CellBuffer(max(1, groups.cellCount))
    }

    func next() throws -> Row? {
        try session.checkCursor(version)
        guard number < groups.count else { return nil }
        held = HeldCells()
        try groups.read(number, into: cells.base, held: held)
        number += 1
        return Row(cells: cells.base, count: groups.cellCount)
    }
}

/// One row of values.
final class ValueStream: RowCursor {
    private let session: Session
    private let values: HeldCells
    private let version: Int
    private let cells: CellBuffer
    private var isAtEnd = false

    init(_ session: Session, _ values: [StoredValue]) {
        self.session = session
        self.values = HeldCells(values)
        version = session.version
        cells = CellBuffer(max(1, values.count))
        for number in values.indices { cells.base[number] = self.values[number] }
    }

    func next() throws -> Row? {
        try session.checkCursor(version)
        if isAtEnd { return nil }
        isAtEnd = true
        return Row(cells: cells.base, count: values.count)
    }
}
