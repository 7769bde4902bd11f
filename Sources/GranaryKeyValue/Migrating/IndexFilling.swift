import GranaryStoreKit

/// Makes the entries of an index for the rows that are there.
///
/// Entries are made in the order of rows and written in their own order, some megabytes at a time: an engine takes them
/// faster so, and no more than that is held in memory. Whether a unique index is one is seen afterwards, when records with
/// the same values lie side by side.
final class IndexFilling {
    private static let batchSize = 16 << 20

    private let table: Table
    private let index: TableIndex
    private let writer: any KeyValueWriter
    private let cells: CellBuffer
    /// Tells how far it has come, and ends it when the work is cancelled; nil where the work does not ask for that.
    var counter: RecordCounter?
    /// The keys of entries, each after its length.
    private var entries: [UInt8] = []
    private var starts: [Int] = []

    init(_ table: Table, _ index: TableIndex, _ writer: any KeyValueWriter) {
        (self.table, self.index, self.writer) = (table, index, writer)
        cells = CellBuffer(table.layout.cellCount)
    }

    /// - Throws: `uniqueness` with the keys of the records that have the same values.
    func run() throws {
        var last: [UInt8]?
        repeat {
            last = try collect(after: last)
            try write()
        } while last != nil
        if let error = try UniqueIndexCheck(table, index, writer).duplicates().error { throw error }
    }

    /// Collects entries, and returns the key of the last row; nil if there is no row left.
    private func collect(after last: [UInt8]?) throws -> [UInt8]? {
        let cursor = try writer.cursor(in: table.keyspace)
        var row = try last.map { last in try last.withUnsafeBytes { try cursor.seek(atOrAfter: $0) } } ?? cursor.first()
        if let last, let found = row, last.withUnsafeBytes({ areEqual(found.key, $0) }) { row = try cursor.next() }
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: KeyFormat.bufferSize, alignment: 8)
        defer { buffer.deallocate() }
        while let found = row {
            try counter?.count(table.entity)
            try table.layout.read(found.value, key: found.key, into: cells.base)
            let count = try index.encode(cells.base, key: found.key, into: buffer).count
            starts.append(entries.count)
            withUnsafeBytes(of: UInt32(count)) { entries.append(contentsOf: $0) }
            entries.append(contentsOf: UnsafeRawBufferPointer(start: buffer, count: count))
            if entries.count >= IndexFilling.batchSize { return Array(found.key) }
            row = try cursor.next()
        }
        return nil
    }

    private func write() throws {
        try entries.withUnsafeBytes { entries in
            func key(at start: Int) -> UnsafeRawBufferPointer {
                let count = Int(entries.loadUnaligned(fromByteOffset: start, as: UInt32.self))
                return UnsafeRawBufferPointer(rebasing: entries[(start + 4)..<(start + 4 + count)])
            }
            starts.sort { compareBytes(key(at: $0), key(at: $1)) < 0 }
            for (number, start) in starts.enumerated() {
                if number % StoreProgress.interval == 0 { try LongWork.checkCancellation() }
                guard try writer.reserve(key(at: start), count: 0, in: index.keyspace, mode: .insert) != nil else {
                    throw index.outOfStep(table)
                }
            }
        }
        entries.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
    }
}
