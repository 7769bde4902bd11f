package import GranaryCore

// In an async function the compiler takes the async form of a verb that has both. These are the blocking ones.

extension Stack {
    package func writeNow<T>(_ body: (Transaction) throws -> T) throws -> T { try write(body) }
    package func readNow<T>(_ body: (Snapshot) throws -> T) throws -> T { try read(body) }
    package func closeNow() throws { try close() }
    package func changesNow(
        since number: UInt64, limit: Int? = nil, by isWanted: ((String?) -> Bool)? = nil
    ) throws -> [ChangeSet] {
        try read { try $0.changes(since: HistoryToken(transactionNumber: number), limit: limit, by: isWanted) }
    }
}

extension EditContext {
    /// The blocking save, also where the other could be meant.
    @discardableResult package func saveNow() throws -> SaveResult { try save() }
}
