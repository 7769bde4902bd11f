import GranaryPlatform
import GranaryStoreKit

// Rows have checksums, index entries do not. So all rows are read again in the new store, and the hashes of the entries
// that each index must have for them are added up, which needs no order. The sum is compared with that of the copied
// entries. So damage in a seed's index does not get into the new store, and nothing is searched for.

extension KeyValueStoreWriter {
    /// Takes the rows, the indexes and the assigned keys of a seed with tables of the same form.
    ///
    /// - Parameter indexes: For each table the seed's indexes, in the order of this store's.
    func take(_ seed: KeyValueSession, _ indexes: [[TableIndex]], ending end: FillingEnd) throws {
        let keys = try base.tables.map { try seed.lastAssignedKey(of: $0.number) }
        try beginFilling()
        var counter = try RecordCounter {
            try seed.base.tables.reduce(0) { try $0 + seed.engine.count(in: $1.keyspace) }
        }
        try counter.tell()
        for (number, table) in base.tables.enumerated() {
            let source = seed.base.tables[number]
            let rows = try copyEntries(of: seed, source.keyspace, to: table.keyspace, about: table) {
                try counter.countEntry()
            }
            for (place, index) in indexes[number].enumerated() {
                var entries = 0
                _ = try copyEntries(of: seed, index.keyspace, to: table.indexes[place].keyspace, about: table) {
                    entries += 1
                    if entries % StoreProgress.interval == 0 { try LongWork.checkCancellation() }
                }
            }
            let greatest = try checkTaken(table, rows)
            guard table.assignsKeys else { continue }
            try raiseCounter(table, to: max(greatest, keys[number]), isMade: false)
            guard end.lastAssignedKeys.indices.contains(number) else { continue }
            try raiseCounter(table, to: end.lastAssignedKeys[number], isMade: false)
        }
        try counter.tell()
        filledNumber = end.transactionNumber
    }

    /// Appends the entries of a keyspace of a seed to an empty one of this store, and returns how many entries there
    /// are.
    ///
    /// - Parameters:
    ///   - table: The table for errors.
    ///   - count: Called after each entry; may throw to stop.
    private func copyEntries(
        of seed: KeyValueSession, _ source: Keyspace, to keyspace: Keyspace, about table: Table,
        counting count: () throws -> Void
    ) throws -> Int {
        let cursor = try seed.engine.cursor(in: source)
        var copied = 0
        try writing {
            var entry = try cursor.first()
            while let found = entry {
                let size = found.value.count
                guard let target = try engine.reserve(found.key, count: size, in: keyspace, mode: .append),
                    target.count == size
                else { throw GranaryError.copyDiffers(table.entity, found: copied, written: copied + 1) }
                target.copyMemory(from: found.value)
                copied += 1
                uncommittedBytes += found.key.count + size
                if uncommittedBytes >= KeyValueStoreWriter.partSize {
                    uncommittedBytes = 0
                    try engine.commitPart()
                }
                try count()
                entry = try cursor.next()
            }
            return true
        }
        return copied
    }

    /// Reads the rows of a table that were taken, and makes each index anew whose entries do not match the rows.
    ///
    /// - Parameter copied: The number of rows that were written.
    /// - Returns: The greatest assigned key of a row; 0 if keys are not assigned.
    /// - Throws: `corrupt` for a row that is damaged; `uniqueness`.
    private func checkTaken(_ table: Table, _ copied: Int) throws -> Int64 {
        let (cells, buffer) = (session.cells, session.keyBuffer)
        var sums = [UInt64](repeating: 0, count: table.indexes.count)
        var (rows, greatest) = (0, Int64(0))
        let cursor = try engine.cursor(in: table.keyspace)
        var entry = try cursor.first()
        while let found = entry {
            try table.layout.read(found.value, key: found.key, into: cells)
            for (place, index) in table.indexes.enumerated() {
                let count = try index.encode(cells, key: found.key, into: buffer).count
                sums[place] &+= hash64(UnsafeRawBufferPointer(start: buffer, count: count), seed: 0)
            }
            let key = cells[table.keyPosition]
            if table.assignsKeys, key.kind == .integer { greatest = max(greatest, key.integerValue) }
            rows += 1
            if rows % StoreProgress.interval == 0 { try LongWork.checkCancellation() }
            entry = try cursor.next()
        }
        guard rows == copied else { throw GranaryError.copyDiffers(table.entity, found: rows, written: copied) }
        for (index, sum) in zip(table.indexes, sums) {
            let entries = try sumOfEntries(index)
            if entries.count != rows || entries.sum != sum {
                try makeAnew(index, of: table)
            } else if let error = try UniqueIndexCheck(table, index, engine).duplicates().error {
                throw error
            }
        }
        return greatest
    }

    private func sumOfEntries(_ index: TableIndex) throws -> (count: Int, sum: UInt64) {
        var (count, sum) = (0, UInt64(0))
        let cursor = try engine.cursor(in: index.keyspace)
        var entry = try cursor.first()
        while let found = entry {
            count += 1
            // An index entry consists only of a key.
            sum &+= found.value.isEmpty ? hash64(found.key, seed: 0) : 1
            if count % StoreProgress.interval == 0 { try LongWork.checkCancellation() }
            entry = try cursor.next()
        }
        return (count, sum)
    }

    private func makeAnew(_ index: TableIndex, of table: Table) throws {
        let work = LongWork.current.map { LongWork(cancellation: $0.cancellation) }
        try writing {
            try engine.deleteAll(in: index.keyspace)
            let filling = IndexFilling(table, index, engine)
            filling.counter = RecordCounter(work) { 0 }
            try filling.run()
            try engine.commitPart()
            return true
        }
    }
}
