import GranaryStoreKit

/// Looks for records with the same values of a unique index: their entries are next to each other. It throws when the
/// work of its thread is cancelled.
final class UniqueIndexCheck {
    private let table: Table
    private let index: TableIndex
    private let reader: any KeyValueReader
    private let cells: CellBuffer
    /// Reports the number of entries read; nil if another part of the work has reported these records.
    var counter: RecordCounter?
    private let otherCells: CellBuffer

    init(_ table: Table, _ index: TableIndex, _ reader: any KeyValueReader) {
        (self.table, self.index, self.reader) = (table, index, reader)
        cells = CellBuffer(table.layout.cellCount)
        otherCells = CellBuffer(table.layout.cellCount)
    }

    /// The first records that have the same values of the index.
    func duplicates() throws -> DuplicateRecords {
        var duplicates = DuplicateRecords(table.entity, index.attributes)
        guard index.isUnique else { return duplicates }
        let cursor = try reader.cursor(in: index.keyspace)
        var (value, rowKey): ([UInt8], [UInt8]) = ([], [])
        var isConstrained = true
        var entry = try cursor.first()
        var entries = 0
        while let found = entry, !duplicates.isFull {
            entries += 1
            if entries % StoreProgress.interval == 0 { try LongWork.checkCancellation() }
            try counter?.count(table.entity)
            guard let (newValue, newRowKey) = index.split(found.key) else { throw index.outOfStep(table) }
            if !rowKey.isEmpty, value.withUnsafeBytes({ areEqual($0, newValue) }) {
                // There may be many records with nil: only the first two are examined.
                if isConstrained {
                    try rowKey.withUnsafeBytes { try load($0, into: otherCells.base) }
                    isConstrained = index.constrains(otherCells.base)
                }
                if isConstrained {
                    try load(newRowKey, into: cells.base)
                    if try index.agree(otherCells.base, cells.base) {
                        duplicates.add(
                            StoredValue(otherCells.base[table.keyPosition]), StoredValue(cells.base[table.keyPosition]))
                    }
                }
            } else {
                isConstrained = true
                value = Array(newValue)
            }
            rowKey = Array(newRowKey)
            entry = try cursor.next()
        }
        return duplicates
    }

    private func load(_ key: UnsafeRawBufferPointer, into cells: UnsafeMutablePointer<Cell>) throws {
        guard let row = try reader.get(key, in: table.keyspace) else { throw index.outOfStep(table) }
        try table.layout.read(row, key: key, into: cells)
    }
}
