import GranaryStoreKit

/// Makes the entries of an index for existing rows.
///
/// Entries are made in the order of rows and written in their own order, some megabytes at a time: an engine accepts
/// them faster in this way, and no more than that is held in memory. Whether a unique index is violated is checked
/// afterwards, when records with the same values are next to each other.
final class IndexFilling {
    private let table: Table
    private let index: TableIndex
    private let writer: any KeyValueWriter
    private let cells: CellBuffer
    /// The number of bytes of entries after which they are written.
    private let batchSize: Int
    /// Reports progress, and throws when the work is cancelled; nil if this work does not report progress.
    var counter: RecordCounter?

    init(_ table: Table, _ index: TableIndex, _ writer: any KeyValueWriter, batchSize: Int = 32 << 20) {
        (self.table, self.index, self.writer, self.batchSize) = (table, index, writer, batchSize)
        cells = CellBuffer(table.layout.cellCount)
    }

    /// - Throws: `uniqueness` with the keys of the records that have the same values.
    func run() throws {
        var batch = KeyBatch()
        var lastRow: [UInt8]?
        var lastEntry = try writer.cursor(in: index.keyspace).last().map { Array($0.key) } ?? []
        repeat {
            lastRow = try collect(into: &batch, after: lastRow)
            try write(&batch, after: &lastEntry)
        } while lastRow != nil
        if let error = try UniqueIndexCheck(table, index, writer).duplicates().error { throw error }
    }

    /// Collects entries, and returns the key of the last row; nil if no rows are left.
    private func collect(into batch: inout KeyBatch, after last: [UInt8]?) throws -> [UInt8]? {
        let cursor = try writer.cursor(in: table.keyspace)
        var row = try last.map { last in try last.withUnsafeBytes { try cursor.seek(atOrAfter: $0) } } ?? cursor.first()
        if let last, let found = row, last.withUnsafeBytes({ areEqual(found.key, $0) }) { row = try cursor.next() }
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: KeyFormat.bufferSize, alignment: 8)
        defer { buffer.deallocate() }
        while let found = row {
            try counter?.count(table.entity)
            try table.layout.read(found.value, key: found.key, into: cells.base)
            let count = try index.encode(cells.base, key: found.key, into: buffer).count
            batch.add(UnsafeRawBufferPointer(start: buffer, count: count))
            if batch.byteCount >= batchSize { return Array(found.key) }
            row = try cursor.next()
        }
        return nil
    }

    /// - Parameter greatest: The greatest existing entry. Entries after it are appended, which needs no search.
    private func write(_ batch: inout KeyBatch, after greatest: inout [UInt8]) throws {
        let known = greatest
        try batch.removeAll { keys in
            try known.withUnsafeBytes { known in
                var last = known
                for (number, key) in keys.enumerated() {
                    if number % StoreProgress.interval == 0 { try LongWork.checkCancellation() }
                    let isBeyond = compareBytes(key, last) > 0
                    let mode = isBeyond ? KeyValuePutMode.append : .insert
                    guard try writer.reserve(key, count: 0, in: index.keyspace, mode: mode) != nil else {
                        throw index.outOfStep(table)
                    }
                    if isBeyond { last = key }
                }
                greatest = Array(last)
            }
        }
    }
}
