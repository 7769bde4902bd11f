/// What a transaction shares with its cursors: they must know of its end, when its session may belong to another transaction.
public final class TransactionMark {
    @exclusivity(unchecked) public var isEnded = false

    public init() {}
}
