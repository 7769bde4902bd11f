/// The level that an overlay lies on: a store, or the overlay of the parent context. A state of it is open during a call or
/// a savepoint, and calls within each other read the same state.
final class LevelBelow {
    private let opening: () throws -> any StoreReader
    /// Whether what `opening` gives is ended after use.
    private let endsReaders: Bool
    /// The state that is read, while a call or a savepoint holds it.
    private(set) var lease: BelowLease?
    private var holders = 0

    init(endsReaders: Bool, _ opening: @escaping () throws -> any StoreReader) {
        self.opening = opening
        self.endsReaders = endsReaders
    }

    var isHeld: Bool { holders > 0 }

    /// Keeps the state open until ``letGo()``.
    func hold() throws -> any StoreReader {
        if let lease {
            holders += 1
            return lease.reader
        }
        let reader = try open()
        lease = BelowLease(reader, ends: endsReaders, commitNumber(of: reader))
        holders += 1
        return reader
    }

    /// - Returns: Whether it was the outermost hold.
    func letGo() -> Bool {
        holders -= 1
        guard holders == 0 else { return false }
        lease = nil
        return true
    }

    /// Gives up the state, for good.
    func end() { lease = nil }

    /// A reader that the caller ends, if it was opened for it.
    func open() throws -> any StoreReader { try opening() }

    /// A reader that ends with what is over it, if it was opened for it.
    func open<T: StoreReader>(under make: (any StoreReader) throws -> T) throws -> any StoreReader {
        let reader = try open()
        let layer = try make(reader)
        return endsReaders ? OwningReader(layer, reader) : layer
    }

    /// The commit that a state is of; nil for what is neither a store's nor committed.
    func commitNumber(of reader: any StoreReader) -> UInt64? {
        endsReaders && !(reader is OwningReader) && !(reader is OverlayReader) ? reader.transactionNumber : nil
    }
}

/// A state one level up, which ends with the last call or cursor that reads it.
final class BelowLease {
    let reader: any StoreReader
    /// The commit that the state is of; nil for what is neither a store's nor committed.
    let commitNumber: UInt64?
    private let ends: Bool

    init(_ reader: any StoreReader, ends: Bool, _ commitNumber: UInt64?) {
        self.reader = reader
        self.ends = ends
        self.commitNumber = commitNumber
    }

    deinit { if ends { reader.end() } }
}
