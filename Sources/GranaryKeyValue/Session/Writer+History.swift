import GranaryStoreKit

extension KeyValueStoreWriter {
    func lastAssignedKey(of entity: Int) throws -> Int64 {
        let table = try begin(entity)
        return table.assignsKeys ? try counter(table) : 0
    }

    func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try check()
        return try session.history(after: number, limit: limit)
    }

    func keepHistory(_ entry: HistoryEntry) throws {
        try check()
        let bytes = History.bytes(entry)
        guard bytes.count + 8 <= base.capabilities.limits.valueSize else {
            throw GranaryError(
                .limit,
                "What is to be kept of commit \(entry.number) takes \(bytes.count) bytes; the store holds \(base.capabilities.limits.valueSize). Write less in one transaction."
            )
        }
        try writing {
            try Meta.write(bytes, key: History.key(entry.number), "an entry of its history", engine)
            return true
        }
    }

    func deleteHistory(through number: UInt64) throws {
        try check()
        let numbers = try session.historyNumbers(through: number)
        if numbers.isEmpty { return }
        try writing {
            for number in numbers { try deleteEntry(number) }
            return false
        }
    }

    func deleteEntry(_ number: UInt64) throws {
        let isThere = try History.key(number).withUnsafeBytes { try engine.delete($0, in: Meta.keyspace) }
        guard isThere else { throw GranaryError.damagedHistory }
    }
}
