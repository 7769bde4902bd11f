/// The one write transaction of a store: what a ``Stack`` gives to `write`. Commits when the closure returns, rolls
/// back when it throws.
public final class Transaction: Context {
    /// The number of the last commit before this transaction.
    public var transactionNumber: UInt64 { writer.transactionNumber }
}
