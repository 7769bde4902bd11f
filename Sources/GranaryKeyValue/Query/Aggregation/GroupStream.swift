import GranaryStoreKit

/// The groups of a table, one row each.
final class GroupStream: RowCursor {
    private let session: KeyValueSession
    private let cursor: GroupCursor
    private let version: Int

    init(_ session: KeyValueSession, _ groups: GroupTable) {
        self.session = session
        cursor = GroupCursor(groups)
        version = session.version
    }

    func next() throws -> Row? {
        try session.checkCursor(version)
        return try cursor.next()
    }
}

/// One row of values.
final class ValueStream: RowCursor {
    private let session: KeyValueSession
    private let values: HeldCells
    private let version: Int
    private let cells: CellBuffer
    private var isAtEnd = false

    init(_ session: KeyValueSession, _ values: [StoredValue]) {
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
