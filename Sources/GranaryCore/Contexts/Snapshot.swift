/// A read-only view of one committed state: what a ``Stack`` gives to `read`. It has no method that writes.
public final class Snapshot: ReadContext {
    /// The number of the newest commit in this state.
    public var transactionNumber: UInt64 { reader.transactionNumber }
}
