/// What tells one state one level up from others: the commit that the store has, and the versions of the contexts between.
struct BelowState: Equatable {
    /// The number of the commit.
    let commit: UInt64
    /// The version of each overlay from the top down; empty over a store.
    let versions: [Int]

    /// Over a reader of a store, or of contexts over one.
    init(_ reader: any StoreReader) {
        var versions: [Int] = []
        var reader = reader
        while true {
            if let owning = reader as? OwningReader {
                reader = owning.reader
            } else if let layer = reader as? OverlayReader {
                versions.append(layer.stateVersion)
                reader = layer.below
            } else {
                commit = reader.transactionNumber
                self.versions = versions
                return
            }
        }
    }
}
