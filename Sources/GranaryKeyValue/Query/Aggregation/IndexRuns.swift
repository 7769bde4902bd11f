import GranaryStoreKit

// Entries of an index with the same first value are next to each other. If the key of an entry was cut inside that
// value, entries with the same beginning are in the order of their hashes: then each is a run of its own, and the
// caller joins runs with the same value. The value itself is read from the row of a run's first entry.

/// The first values in an index, with the number of rows of each, read from the index and one row for each value.
struct IndexRuns {
    private let session: KeyValueSession
    private let table: Table
    private let index: TableIndex

    init(_ session: KeyValueSession, _ table: Table, _ index: TableIndex) {
        self.session = session
        self.table = table
        self.index = index
    }

    /// The same value may occur again later if it is very long.
    func forEach(_ body: (Cell, _ count: Int) throws -> Void) throws {
        let cursor = try session.engine.cursor(in: index.keyspace)
        let cells = CellBuffer(table.layout.cellCount)
        var first: KeyValueEntry?
        var prefix = UnsafeRawBufferPointer(start: nil, count: 0)
        var count = 0
        var steps = 0
        func end() throws {
            guard let first else { return }
            guard let (_, rowKey) = index.split(first.key), !rowKey.isEmpty,
                let row = try session.engine.get(rowKey, in: table.keyspace)
            else { throw index.outOfStep(table) }
            try table.layout.read(row, key: rowKey, into: cells.base)
            try body(cells.base[index.positions[0]], count)
        }
        var entry = try cursor.first()
        while let current = entry {
            steps &+= 1
            if steps & 63 == 0, let cancellation = session.cancellation { try cancellation.check() }
            if !prefix.isEmpty && hasPrefix(current.key, prefix) {
                count += 1
            } else {
                try end()
                first = current
                count = 1
                prefix = firstValue(current.key)
            }
            entry = try cursor.next()
        }
        try end()
    }

    /// The bytes of an entry's first value; empty if it may have been cut.
    private func firstValue(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let tag = key.first else { return key }
        if tag == 0 { return UnsafeRawBufferPointer(rebasing: key.prefix(1)) }
        let kind = index.kinds[0]
        switch kind {
        case .bool: return UnsafeRawBufferPointer(rebasing: key.prefix(2))
        case .uuid: return UnsafeRawBufferPointer(rebasing: key.prefix(17))
        case .text, .bytes:
            var place = 1
            while place &+ 1 < min(key.count, KeyFormat.indexPrefix) {
                if key[place] == 0 {
                    if key[place &+ 1] == 0 { return UnsafeRawBufferPointer(rebasing: key.prefix(place &+ 2)) }
                    place &+= 1
                }
                place &+= 1
            }
            return UnsafeRawBufferPointer(start: nil, count: 0)
        default: return UnsafeRawBufferPointer(rebasing: key.prefix(9))
        }
    }
}
