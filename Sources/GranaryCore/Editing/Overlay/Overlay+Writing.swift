// Methods with an effect only in a store's own writer. The writes of an overlay stay pending until its context is
// saved; see the folder Writing.
extension Overlay {
    package func record(into recorder: ChangeRecorder) throws {}
    package func keepHistory(_ entry: HistoryEntry) throws {}
    package func deleteHistory(through number: UInt64) throws {}
    package func commit() throws -> UInt64 { transactionNumber }
}
