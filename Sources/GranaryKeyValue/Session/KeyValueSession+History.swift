import GranaryStoreKit

extension KeyValueSession {
    func lastAssignedKey(of entity: Int) throws -> Int64 {
        try check()
        let table = try base.table(entity)
        return table.assignsKeys ? try storedCounter(table) : 0
    }

    /// The greatest key that an entity with assigned keys has had, as of the last commit.
    func storedCounter(_ table: Table) throws -> Int64 {
        try Meta.readNumber(Meta.counter(table.entity.id), engine).map { Int64(bitPattern: $0) } ?? 0
    }

    func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try check()
        guard number < UInt64.max, limit > 0 else { return [] }
        var entries: [HistoryEntry] = []
        try forEachHistoryEntry(from: number + 1) { key, value in
            try check()
            guard let entry = History.entry(key, value) else { throw GranaryError.damagedHistory }
            entries.append(entry)
            return entries.count < limit
        }
        return entries
    }

    /// The numbers of the entries up to `last`. Their contents are not examined.
    func historyNumbers(through last: UInt64) throws -> [UInt64] {
        var numbers: [UInt64] = []
        try forEachHistoryEntry(from: 0) { key, _ in
            guard let number = History.number(key) else { return true }
            if number <= last { numbers.append(number) }
            return number < last
        }
        return numbers
    }

    /// Adds the faults of the history, one line each.
    func verifyHistory(_ lines: inout FaultList) throws {
        var count = 0
        try forEachHistoryEntry(from: 0) { key, value in
            count += 1
            if History.entry(key, value) == nil { lines.append("history: entry \(count) is damaged") }
            return true
        }
    }

    /// Calls a closure with each entry in the order of their numbers, until it returns false.
    private func forEachHistoryEntry(
        from number: UInt64, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let cursor = try engine.cursor(in: Meta.keyspace)
        // The first entry is sought from the beginning of the keys, so that a key that is cut short is found, too.
        let start = number == 0 ? History.prefix : History.key(number)
        var entry = try start.withUnsafeBytes { try cursor.seek(atOrAfter: $0) }
        while let found = entry, History.prefix.withUnsafeBytes({ hasPrefix(found.key, $0) }) {
            guard try body(found.key, found.value) else { return }
            entry = try cursor.next()
        }
    }
}
