package import GranaryCore

extension Stack {
    /// What was committed since a transaction, read on the calling thread.
    package func committed(
        since number: UInt64, limit: Int? = nil, by isWanted: ((String?) -> Bool)? = nil
    ) throws -> [ChangeSet] {
        try blocking.read {
            try $0.changes(since: HistoryToken(transactionNumber: number), limit: limit, by: isWanted)
        }
    }
}
