/// The level under an overlay: a store, or the overlay of the parent context. One state of it is open during a call or
/// a savepoint, and nested calls read the same state.
final class LevelBelow {
    private let opening: () throws -> any StoreReader
    /// Whether readers made by `opening` are ended after use.
    private let endsReaders: Bool
    /// The state that is read while a call or a savepoint holds it.
    @exclusivity(unchecked) private(set) var lease: BelowLease?
    @exclusivity(unchecked) private var holders = 0

    init(endsReaders: Bool, _ opening: @escaping () throws -> any StoreReader) {
        self.opening = opening
        self.endsReaders = endsReaders
    }

    var isHeld: Bool { holders > 0 }
    /// Whether exactly one call holds the state.
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

    /// Opens a reader. The caller ends it if it was opened for this call.
    func open() throws -> any StoreReader { try opening() }

    /// Opens a reader and a layer over it. The reader ends with the layer if it was opened for it.
    func open<T: StoreReader>(under make: (any StoreReader) throws -> T) throws -> any StoreReader {
        let reader = try open()
        let layer = try make(reader)
        return endsReaders ? OwningReader(layer, reader) : layer
    }

    /// Identifies the state of a reader; nil for a state that is not committed.
    func state(of reader: any StoreReader) -> BelowState? { endsReaders ? BelowState(reader) : nil }
}

/// A state one level up. It ends with the last call or cursor that reads it.
final class BelowLease {
    let reader: any StoreReader
    /// Identifies the state; nil for a state that is not committed.
    let state: BelowState?
    private let ends: Bool

    init(_ reader: any StoreReader, ends: Bool, _ state: BelowState?) {
        self.reader = reader
        self.ends = ends
        self.state = state
    }

    deinit { if ends { reader.end() } }
}
