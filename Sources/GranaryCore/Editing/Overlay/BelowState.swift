/// Identifies a state one level up: the store's commit, and the versions of the contexts in between.
struct BelowState: Equatable {
    /// The number of the commit.
    let commit: UInt64
    /// The version of each overlay from the top down; empty over a store.
    let versions: [Int]

    /// The state of a reader of a store, or of contexts over a store.
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
