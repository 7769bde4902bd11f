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
    /// Whether there is one hold.
    var isOutermost: Bool { holders == 1 }

    /// Keeps the state open until ``letGo()``.
    func hold() throws -> any StoreReader {
        if let lease {
            holders += 1
            return lease.reader
        }
        let reader = try open()
        lease = BelowLease(reader, ends: endsReaders, state(of: reader))
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

    /// What tells a state from others; nil for what is not committed.
    func state(of reader: any StoreReader) -> BelowState? { endsReaders ? BelowState(reader) : nil }
}

/// A state one level up, which ends with the last call or cursor that reads it.
final class BelowLease {
    let reader: any StoreReader
    /// What tells the state from others; nil for what is not committed.
    let state: BelowState?
    private let ends: Bool

    init(_ reader: any StoreReader, ends: Bool, _ state: BelowState?) {
        self.reader = reader
        self.ends = ends
        self.state = state
    }

    deinit { if ends { reader.end() } }
}
