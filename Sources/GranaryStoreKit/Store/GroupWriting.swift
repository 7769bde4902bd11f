/// A writer whose transaction can hold several writes, which are committed, and synced, together.
///
/// A stack uses it for writes that wait for each other: they share one commit, and each is told its own outcome. The
/// first write begins with the transaction and is not undone alone: if it fails, the transaction ends. Each further
/// write begins with ``beginGroupedWrite()`` and ends with ``endGroupedWrite()`` or ``undoGroupedWrite()``.
///
/// ```swift
/// try writer.insert(row, into: 0)            // the first write
/// let first = try writer.endGroupedWrite()   // its number
/// try writer.beginGroupedWrite()
/// try writer.insert(other, into: 0)          // the second
/// let second = try writer.endGroupedWrite()  // first + 1
/// try writer.commit()                        // both, or neither
/// ```
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `beginGroupedWrite` | no savepoint is open; it does not count as one of the caller's savepoints |
/// | `endGroupedWrite` | a write that changed something has the number after the one before it, and `transactionNumber` is this number; one that changed nothing has no number |
/// | `undoGroupedWrite` | undoes what a rolled back savepoint undoes, and the savepoints that are still open; also after a failure of the write such as `full`, unless it throws |
/// | `hasRoom` | a further write fails for want of room in this transaction only if it would fail alone; true by default |
/// | recording | the recorder of a write is not used after its end; the next write may give another one |
/// | `commit` | all writes that have ended, or none; the store's number is the number of the last one |
///
/// The calls may come from different threads, one after the other; `commit` and `end` come from the thread that began
/// the transaction.
public protocol GroupWriting: StoreWriter {
    /// Whether a further write should begin in this transaction. False once the transaction has become so large that
    /// the engine's limit for one could be reached.
    var hasRoom: Bool { get }
    /// Begins a further write.
    func beginGroupedWrite() throws
    /// Ends a write, the first one included, after ``ChangeRecording/prepareCommit()``.
    ///
    /// - Returns: The number of the newest commit, as if the group were committed now.
    /// - Throws: What a commit throws about the contents of the write, such as `danglingReference`. Then the caller
    ///   undoes the write.
    func endGroupedWrite() throws -> UInt64
    /// Undoes the write that ``beginGroupedWrite()`` began. If it throws, the transaction can only be ended.
    func undoGroupedWrite() throws
}

extension GroupWriting {
    public var hasRoom: Bool { true }
}

extension StoreWriter {
    /// The same writer as one that can group writes.
    ///
    /// - Throws: `unsupported` if it cannot.
    func requireGrouping() throws -> any GroupWriting {
        guard let grouping = self as? any GroupWriting else {
            throw GranaryError.unsupported(
                .groupCommit,
                "This store commits each write alone, and cannot commit several together, which \(Capability.groupCommit) needs."
            )
        }
        return grouping
    }
}
